package unsandbox

import (
	"os"
	"os/exec"
	"os/signal"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) { // as below a shell that has no jobs: programs would inherit that
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreTopFunction("os/signal.loop"))
}

// testPython runs the programs of fake servers.
func testPython(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("NBTERM_TEST_PYTHON"); p != "" {
		return p
	}
	p, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("there is no python3")
		}
		t.Skip("there is no python3")
	}
	return p
}
