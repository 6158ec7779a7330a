package kernelclient_test

import (
	"testing"
	"testing/synctest"
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

// Where a kernel is, is on record before it is ready: the next process finds it there.
func TestPlaceIsRecordedBeforeReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		p, f := &paper{}, &hosttest.Fake{Hold: hold, PID: 9}
		l := recorded(f, p, kernelclient.LogOptions{})
		synctest.Wait()
		f.Sink().Renew(kernelclient.Ready{PID: 7, PIDStart: 8, ConnFile: "/c.json", Remote: "r1"})
		synctest.Wait()
		_, i, _ := p.read()
		if i.PID != 7 || i.PIDStart != 8 || i.ConnFile != "/c.json" || i.Remote != "r1" || i.State.State != event.Starting {
			t.Errorf("before it is ready: %+v", i)
		}
		close(hold)
		time.Sleep(time.Second)
		if _, i, _ = p.read(); i.PID != 9 || i.State.State != event.Idle {
			t.Errorf("when it is ready: %+v", i)
		}
		_ = l.Stop(t.Context(), true)
	})
}
