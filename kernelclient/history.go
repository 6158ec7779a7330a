package kernelclient

import (
	"fmt"
	"iter"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// past is what the record of an earlier process says of a context.
type past struct {
	order    []event.ExecID // of the runs, as they were queued
	requests map[event.ExecID]Request
	accepted map[event.ExecID]bool
	ended    map[event.ExecID]bool
	asks     map[event.InputID]event.ExecID // questions that are open
	state    event.State
	last     time.Time
}

func newPast() past {
	return past{
		requests: map[event.ExecID]Request{}, accepted: map[event.ExecID]bool{},
		ended: map[event.ExecID]bool{}, asks: map[event.InputID]event.ExecID{},
	}
}

func (p *past) take(e event.Event) {
	switch b := e.Body.(type) {
	case event.Queued:
		p.order = append(p.order, e.Exec)
		p.requests[e.Exec] = Request{
			ID: e.Exec, Cell: b.Cell, Code: b.Code, Language: b.Language, Group: b.Group, GoOn: b.GoOn,
			AllowStdin: b.AllowStdin, Timeout: b.Timeout, Silence: b.Silence,
		}
	case event.Accepted:
		p.accepted[e.Exec] = true
	case event.Ended:
		p.ended[e.Exec] = true
	case event.InputRequest:
		p.asks[b.ID] = e.Exec
	case event.InputClosed:
		delete(p.asks, b.ID)
	case event.State:
		p.state = b
	}
	p.last = e.Time
}

// takeUp begins where an earlier process ended: what waited waits again, what ran is
// resumed, where its kernel is still there. It is called before anything else happens.
func (l *Log) takeUp(events iter.Seq[event.Event]) {
	p := newPast()
	for e := range events {
		l.store.load(e)
		p.take(e)
	}
	l.loaded = l.store.last
	l.info.State = p.state
	l.info.State.Generation = max(p.state.Generation, 1)
	l.info.Saved.Cursor.Epoch = l.store.epoch
	l.info.Saved.Cursor.Seq = min(l.info.Saved.Cursor.Seq, l.store.last)
	l.store.compact(l.info.Saved.Cursor.Seq)
	asked := map[event.ExecID]bool{}
	for input, exec := range p.asks { // whoever was to pass the answer on is gone
		asked[exec] = true
		l.store.append(event.Event{Time: time.Now(), Exec: exec, Late: p.ended[exec], Body: event.InputClosed{ID: input}})
	}
	for _, id := range p.order {
		l.known[id] = p.ended[id]
		switch {
		case p.ended[id]:
		case p.accepted[id]:
			if _, silent := l.driver.(Timekeeper); !silent {
				l.unseen(p.requests[id], asked[id], p.last)
			}
			l.resumed = append(l.resumed, p.requests[id])
		default:
			l.queue = append(l.queue, p.requests[id])
		}
	}
}

// unseen says that output of a run was lost between two processes, and what became of a
// question: a kernel asks once, and waits for an answer that nobody can give any more.
func (l *Log) unseen(r Request, asked bool, since time.Time) {
	const clock = "15:04:05"
	now := time.Now()
	detail := fmt.Sprintf("output between %s and %s was not seen", since.Local().Format(clock), now.Local().Format(clock))
	switch {
	case asked:
		detail += "; its question cannot be answered any more: interrupt it"
	case r.AllowStdin:
		detail += "; if it asked for input then, it waits in vain: interrupt it"
	}
	l.store.append(event.Event{Time: now, Exec: r.ID, Body: event.Gap{Detail: detail}})
}

// over ends what an earlier process had under way on a kernel that is gone.
func (l *Log) over(err error) {
	l.mu.Lock()
	ran := l.resumed
	l.resumed, l.err = nil, err
	l.mu.Unlock()
	for _, r := range ran {
		l.finish(r.ID, Outcome{Reason: event.Died, Detail: err.Error()})
	}
	l.died(err.Error())
}
