package tui_test

import (
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

// farAway is a program whose code runs on a server behind a relay: code that begins with
// "say" prints the rest.
func farAway(t testing.TB, sources ...string) (*e2b.Host, *relay.Relay, string) {
	t.Helper()
	server := e2btest.New(t)
	server.Run = func(x wire.Execution) e2btest.Script {
		return func(s *e2btest.Stream) {
			s.Send(wire.Count{N: s.Count}, wire.Output{Name: "stdout", Text: strings.TrimPrefix(x.Code, "say ") + "\n"}, wire.End{})
		}
	}
	r := relay.New(t, strings.TrimPrefix(server.URL, "http://"))
	h, err := e2b.New(e2b.Options{URL: "http://" + r.Addr(), Env: []string{"E2B_DEBUG=", "NO_PROXY=*"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, r, file(sources...)
}

// While nothing at all comes from the server, keys are answered, a run shows its mark, the
// notebook is edited and saved. What was run is run once the server is heard again.
func TestKeysDoNotWaitForTheServer(t *testing.T) {
	h, r, text := farAway(t, "say first", "say second")
	a := open(t, setup{file: text, host: h, far: true, width: 120, height: 24})
	r.Stall()
	a.Keys("ctrl+e")
	a.WaitFor("[·]")
	a.Keys("j", "enter", "end", "!", "esc", "s")
	a.WaitFor("say second!")
	a.WaitFor("saved")
	if s := a.saved(); !strings.Contains(s, "say second!") {
		t.Errorf("saved without the edit:\n%s", s)
	}
	r.Resume()
	a.WaitFor("          first")
	r.Stall()
	a.Keys("ctrl+e")
	a.WaitScreen("the run's mark", func(s string) bool { return strings.Contains(s, "[·]") || strings.Contains(s, "[*]") })
	a.Keys("enter", "end", "?", "esc")
	a.WaitFor("say second!?")
	r.Resume()
	a.WaitFor("edited    second!")
	a.WaitIdle()
}
