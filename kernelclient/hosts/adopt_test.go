package hosts

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// A server that cannot be asked costs the kernel, not what it had put out: the context is
// there to be read, says why it is dead, and gives no secret away.
func TestAdoptFromServerThatIsGone(t *testing.T) {
	a, in, err := Parse("http://127.0.0.1:1/?token=hush")
	if err != nil {
		t.Fatal(err)
	}
	target, err := Resolve(a, in, Settings{}, none)
	if err != nil {
		t.Fatal(err)
	}
	history := []event.Event{
		{Seq: 1, Exec: "x", Body: event.Queued{Code: "work()"}},
		{Seq: 2, Exec: "x", Body: event.Accepted{}},
		{Seq: 3, Exec: "x", Body: event.Stream{Name: "stdout", Text: "so far"}},
	}
	c, host, err := Adopt(t.Context(), target, Options{}, kernelclient.Adoption{
		Info: kernelclient.ContextInfo{ID: "c1", Host: a.URL, Remote: "k1"},
		Log:  kernelclient.LogOptions{History: slices.Values(history)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	k := hosttest.Joined(t, c, nil)
	end, _ := k.Ended("x")
	why := c.Info().Err.Error()
	if end.Reason != event.Died && end.Reason != event.Lost {
		t.Errorf("the run %+v", end)
	}
	if c.Info().State.State != event.Dead || !strings.Contains(why, "could not be found again") || !strings.Contains(why, "contexts list --host http://127.0.0.1:1") || strings.Contains(why, "hush") {
		t.Errorf("%+v: %s", c.Info().State, why)
	}
}
