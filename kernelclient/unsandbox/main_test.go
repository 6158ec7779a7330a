package unsandbox

import (
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
