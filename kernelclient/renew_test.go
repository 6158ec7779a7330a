package kernelclient_test

import (
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// What a host says later of what runs there is told to followers by a state.
func TestRenewIsTold(t *testing.T) {
	soon := time.Now().Add(time.Minute)
	f := &hosttest.Fake{Remote: "r1", Expires: soon}
	l := open(t, f)
	s := l.Follow(kernelclient.Cursor{})
	idle := func() {
		t.Helper()
		for {
			batch, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range batch {
				if st, ok := e.Body.(event.State); ok && st.State == event.Idle {
					return
				}
			}
		}
	}
	idle()
	if i := l.Info(); i.Remote != "r1" || !i.Expires.Equal(soon) {
		t.Errorf("when it is ready: %q until %v", i.Remote, i.Expires)
	}
	later := soon.Add(time.Hour)
	f.Sink().Renew(kernelclient.Ready{Remote: "r1", Expires: later, Capabilities: kernelclient.Capabilities{Languages: true}})
	idle()
	if i := l.Info(); !i.Expires.Equal(later) || !l.Capabilities().Languages {
		t.Errorf("renewed: until %v, %+v", i.Expires, l.Capabilities())
	}
	f.Die("gone")
	f.Sink().Renew(kernelclient.Ready{Remote: "other"})
	if got := l.Info().Remote; got != "r1" {
		t.Errorf("what is dead was renewed to %q", got)
	}
}
