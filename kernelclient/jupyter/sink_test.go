package jupyter

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// sink keeps the events of a driver.
type sink struct {
	mu     sync.Mutex
	events []sunk
	more   chan struct{} // closed and replaced by every Emit
}

type sunk struct {
	exec event.ExecID
	body event.Body
}

func newSink() *sink { return &sink{more: make(chan struct{})} }

func (s *sink) Emit(exec event.ExecID, body event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, sunk{exec, body})
	close(s.more)
	s.more = make(chan struct{})
}

func (*sink) Renew(kernelclient.Ready) {}

// wait returns the first event that is wanted, present or to come.
func (s *sink) wait(t testing.TB, want func(sunk) bool) sunk {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for at := 0; ; {
		s.mu.Lock()
		for ; at < len(s.events); at++ {
			if e := s.events[at]; want(e) {
				s.mu.Unlock()
				return e
			}
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-limit.C:
			t.Fatalf("waited in vain; there was\n%s", s.story())
		}
	}
}

// of returns the events of one execution.
func (s *sink) of(exec event.ExecID) []event.Body {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []event.Body
	for _, e := range s.events {
		if e.exec == exec {
			out = append(out, e.body)
		}
	}
	return out
}

// story writes the events as short lines, for comparison.
func (s *sink) story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, e := range s.events {
		fmt.Fprintf(&b, "%s:%s", e.exec, strings.TrimPrefix(fmt.Sprintf("%T", e.body), "event."))
		switch body := e.body.(type) {
		case event.Stream:
			fmt.Fprintf(&b, " %s %.60q", body.Name, body.Text)
		case event.Result:
			text, _ := body.Data.Plain()
			fmt.Fprintf(&b, " %d %s", body.Count, text)
		case event.Started:
			fmt.Fprintf(&b, " %d", body.Count)
		case event.Error:
			fmt.Fprintf(&b, " %s", body.Name)
		case event.State:
			fmt.Fprintf(&b, " %s %s", body.State, body.Detail)
		case event.Gap:
			fmt.Fprintf(&b, " %s", body.Detail)
		case event.InputRequest:
			fmt.Fprintf(&b, " %s %q %v", body.ID, body.Prompt, body.Password)
		case event.InputClosed:
			fmt.Fprintf(&b, " %s", body.ID)
		case event.Payload:
			fmt.Fprintf(&b, " %s", body.Source)
		case event.Unknown:
			fmt.Fprintf(&b, " %s", body.Type)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func text(bodies []event.Body, name string) string {
	var b strings.Builder
	for _, body := range bodies {
		if s, ok := body.(event.Stream); ok && s.Name == name {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func execute(t testing.TB, d kernelclient.Driver, id event.ExecID, code string) kernelclient.Outcome {
	t.Helper()
	return d.Run(t.Context(), kernelclient.Request{ID: id, Code: code, AllowStdin: true})
}

// asked tells whether e is a question.
func asked(e sunk) bool { _, ok := e.body.(event.InputRequest); return ok }
