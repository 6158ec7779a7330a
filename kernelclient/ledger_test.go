package kernelclient_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// has tells whether the record has an event of a run that f accepts.
func (p *paper) has(id event.ExecID, f func(event.Body) bool) bool {
	events, _, _ := p.read()
	for _, e := range events {
		if e.Exec == id && f(e.Body) {
			return true
		}
	}
	return false
}

func queued(b event.Body) bool   { _, ok := b.(event.Queued); return ok }
func accepted(b event.Body) bool { _, ok := b.(event.Accepted); return ok }

// What was submitted is on record before that is answered, and that a kernel was given it
// before it is given: no crash in between loses a run or has it run twice.
func TestRecordedBeforeItHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		var late []event.ExecID
		l := recorded(&hosttest.Fake{Script: func(_ context.Context, _ *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			if !p.has(r.ID, accepted) {
				late = append(late, r.ID)
			}
			return kernelclient.Outcome{Reason: event.Done}
		}}, p, kernelclient.LogOptions{})
		began := time.Now()
		var last event.ExecID
		for n := range 10 {
			last = event.ExecID(fmt.Sprint(n))
			submit(t, l, kernelclient.Request{ID: last})
			if !p.has(last, queued) {
				t.Errorf("run %s was submitted and is not on record", last)
			}
		}
		read(t, l, ended(last))
		if len(late) > 0 {
			t.Errorf("handed over before it was on record: %v", late)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the record was waited for, %v", took)
		}
		_ = l.Stop(t.Context(), true)
	})
}

// stuck is a Recorder whose disk hangs.
type stuck struct {
	free chan struct{}
}

func (s *stuck) Write([]event.Event) error               { <-s.free; return nil }
func (s *stuck) Describe(kernelclient.ContextInfo) error { return nil }

func (s *stuck) Compact(iter.Seq2[event.Event, error]) error { return nil }

// A disk that hangs holds up no run for long.
func TestRecordThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		l := kernelclient.OpenLog(kernelclient.ContextInfo{ID: "1"}, &hosttest.Fake{Script: says}, kernelclient.LogOptions{Record: s})
		began := time.Now()
		do(t, l, "say one")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		close(s.free)
		_ = l.Stop(t.Context(), true)
	})
}
