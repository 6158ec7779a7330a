package jupyter

import (
	"context"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

const (
	// maxProbes is how many probes may be answered on shell alone before iopub is given up.
	maxProbes = 3
	// maxAborted is how often a request that the kernel threw away unrun is sent again.
	maxAborted = 20
	// abortedPause lies before sending again; a kernel aborts what arrives soon after an error.
	abortedPause = 50 * time.Millisecond
)

// run is the one execution under way. All fields but the first three are guarded by the
// generation's mu.
type run struct {
	id      event.ExecID
	request rawjson.Value // execute_request's content
	changed chan struct{} // one token when something that Run decides on has changed

	msg         string // the request's msg_id
	started     bool   // the kernel has shown that it has it
	idle        bool
	replied     bool
	status      string // the reply's
	failure     event.Error
	shown       bool // failure came on iopub
	failed      bool // failure is set
	count       int
	interrupted bool
	aborted     int

	probe        string // msg_id of the kernel_info_request that asks after the rest, "" for none
	probeReplied bool
	probeIdle    bool
	probes       int
	unanswered   int // silences since the probe was sent

	resumed bool // its reply may have gone astray: to an earlier process, or with a connection
}

// Run implements kernelclient.Driver.
func (d *driver) Run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	g := d.current()
	switch {
	case g != nil && g.isReady():
	case len(d.life) > 0: // a start is under way: this came too late for the kernel it was meant for
		return kernelclient.Outcome{Reason: event.Restarted, Detail: "the kernel was restarted before it ran"}
	default:
		return kernelclient.Outcome{Reason: event.Died, Detail: errNotRunning().Error()}
	}
	x := g.begin(r)
	defer g.finish(x)
	if err := g.execute(ctx, x); err != nil {
		return g.unsent(ctx, err)
	}
	out := g.follow(ctx, x)
	g.seeOff(ctx)
	return out
}

// seeOff waits for the end of a kernel whose code asked it to exit, so that nothing is
// handed to it any more, and tells one that does not go by itself to.
func (g *generation) seeOff(ctx context.Context) {
	g.mu.Lock()
	leaving := g.leaving
	g.mu.Unlock()
	if !leaving {
		return
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	for told := false; ; told = true {
		select {
		case <-timer.C:
		case <-g.ended:
			return
		case <-ctx.Done():
			return
		}
		if told {
			return // it is still there, and the next request will show what it can do
		}
		if _, managed := g.kernel.(Managed); !managed {
			h := g.header("shutdown_request")
			_ = g.send(ctx, Message{Channel: Control, Header: h, Content: object1("restart", rawjson.Value("false"))})
		}
		timer.Reset(farewell)
	}
}

func (g *generation) begin(r kernelclient.Request) *run {
	x := &run{id: r.ID, request: executeContent(r), changed: make(chan struct{}, 1)}
	g.mu.Lock()
	g.run = x
	g.mu.Unlock()
	return x
}

// executeContent is the content of an execute_request.
func executeContent(r kernelclient.Request) rawjson.Value {
	content := append([]byte(`{"code":`), quote(r.Code)...)
	if r.Silent {
		content = append(content, `,"silent":true,"store_history":false`...)
	} else {
		content = append(content, `,"silent":false,"store_history":true`...)
	}
	content = append(content, `,"user_expressions":{},"allow_stdin":`...)
	if r.AllowStdin {
		content = append(content, `true`...)
	} else {
		content = append(content, `false`...)
	}
	return append(content, `,"stop_on_error":true}`...)
}

// finish closes what the run leaves open.
func (g *generation) finish(x *run) {
	_, over, _ := g.judge(x)
	asks := g.d.asks(g)
	g.mu.Lock()
	g.run, g.deserted, g.stuck = nil, !over, !over && asks
	tell := (x.started || g.shared()) && !g.isEnded() && !g.down
	state := g.stateOfOthers()
	g.mu.Unlock()
	g.d.closeInputs(func(q question) bool { return q.exec == x.id })
	if tell {
		g.d.sink.Emit("", state)
	}
}

// execute sends the run's request, again after the kernel aborted it.
func (g *generation) execute(ctx context.Context, x *run) error {
	h := g.header("execute_request")
	h.ID = g.d.executeID(x.id) // also when it is sent again: what the first time caused has ended
	g.mu.Lock()
	g.parents.add(h.ID, x.id)
	x.msg, x.idle, x.replied, x.status = h.ID, false, false, ""
	x.probe, x.probes = "", 0
	g.mu.Unlock()
	limit := &kernelclient.TimeoutError{Clock: kernelclient.Connecting, Limit: g.d.opt.RequestTimeout, Setting: "--request-timeout"}
	ctx, cancel := context.WithTimeoutCause(ctx, g.d.opt.RequestTimeout, limit)
	defer cancel()
	err := g.send(ctx, Message{Channel: Shell, Header: h, Content: x.request})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// unsent is the outcome of a run whose request could not be handed over. A lost connection
// mostly means that the kernel died, which the watcher will find out.
func (g *generation) unsent(ctx context.Context, err error) kernelclient.Outcome {
	timer := time.NewTimer(2*lastOutput + 100*time.Millisecond)
	defer timer.Stop()
	select {
	case <-g.ended:
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.end
	case <-ctx.Done():
	case <-timer.C:
	}
	return kernelclient.Outcome{Reason: event.Lost, Detail: "the code could not be sent to the kernel: " + err.Error()}
}

// follow waits for the run's end, whatever it is.
func (g *generation) follow(ctx context.Context, x *run) kernelclient.Outcome {
	timer := time.NewTimer(silence)
	defer timer.Stop()
	p := &pulse{g: g, x: x}
	defer p.stop()
	for {
		out, end, again := g.judge(x)
		if end {
			g.report(x)
			return out
		}
		if again {
			if out, ok := g.sendAgain(ctx, x); !ok {
				return out
			}
		}
		select {
		case <-x.changed:
			timer.Reset(silence)
		case <-timer.C:
			g.ask(ctx, x)
			p.check()
			timer.Reset(silence)
		case beats := <-p.result:
			p.take(beats)
		case <-g.ended:
			return g.cutOff(x)
		case <-ctx.Done():
			return kernelclient.Outcome{Reason: event.Lost, Detail: ctx.Err().Error(), Count: g.countOf(x)}
		}
	}
}

// judge decides whether the run is over: reply and idle are in, or a later request's are,
// which proves that ours will not come. again asks for the request to be sent once more.
func (g *generation) judge(x *run) (out kernelclient.Outcome, end, again bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	iopubDone := x.idle || x.probeIdle || x.probes > maxProbes
	shellDone := x.replied || x.probeReplied
	if !iopubDone || !shellDone {
		return out, false, false
	}
	if strings.HasPrefix(x.status, "abort") && x.aborted < maxAborted && !x.interrupted {
		return out, false, true
	}
	return x.outcome(), true, false
}

// outcome is how the run ended, from what is known. Called with the generation's mu held.
func (x *run) outcome() kernelclient.Outcome {
	out := kernelclient.Outcome{Reason: event.Done, Count: x.count}
	switch {
	case x.resumed && !x.replied:
		return x.unreplied()
	case x.status == "ok": // also where code showed a traceback and went on
	case strings.HasPrefix(x.status, "abort") && x.interrupted: // what ran was another client's code
		out.Reason, out.Detail = event.Interrupted, "interrupted before it ran"
	case strings.HasPrefix(x.status, "abort"):
		out.Reason, out.Detail = event.Failed, "the kernel did not run it (aborted)"
	case x.failed && x.interrupted && strings.Contains(strings.ToLower(x.failure.Name), "interrupt"):
		out.Reason = event.Interrupted
	case x.failed:
		out.Reason = event.Failed
	case x.status == "error":
		out.Reason = event.Failed
	case !x.replied && !x.started:
		out.Reason, out.Detail = event.Lost, "the kernel did not take the request"
	case !x.replied && x.interrupted: // ipykernel, where the signal comes just before the code
		out.Reason, out.Detail = event.Interrupted, "the kernel ended the run without a reply"
	case !x.replied:
		out.Detail = "the kernel ended the run without a reply"
	}
	return out
}

// report emits what is to be said of an end that is not as it should be.
func (g *generation) report(x *run) {
	g.mu.Lock()
	gap := x.replied && !x.idle
	unshown := x.failed && !x.shown
	failure := x.failure
	g.mu.Unlock()
	if unshown {
		g.d.sink.Emit(x.id, failure)
	}
	if gap {
		g.d.sink.Emit(x.id, event.Gap{Detail: "the kernel's last messages were lost; output may be incomplete"})
	}
}

// cutOff is the outcome of a run whose kernel ended or was given up. What was complete by
// then, or was asked to end the kernel itself, keeps its own end.
func (g *generation) cutOff(x *run) kernelclient.Outcome {
	out, end, _ := g.judge(x)
	if end {
		g.report(x)
		return out
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leaving && x.replied {
		return x.outcome()
	}
	out = g.end
	out.Count = x.count
	return out
}

// isReady tells whether the kernel takes requests, or did until it ended.
func (g *generation) isReady() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ready
}

func (g *generation) countOf(x *run) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return x.count
}

// sendAgain repeats a request that the kernel threw away because an earlier one, ours or
// another client's, had failed just before.
func (g *generation) sendAgain(ctx context.Context, x *run) (kernelclient.Outcome, bool) {
	g.mu.Lock()
	x.aborted++
	g.mu.Unlock()
	timer := time.NewTimer(abortedPause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.ended:
		return g.cutOff(x), false
	case <-ctx.Done():
		return kernelclient.Outcome{Reason: event.Lost, Detail: ctx.Err().Error()}, false
	}
	if err := g.execute(ctx, x); err != nil {
		return g.unsent(ctx, err), false
	}
	return kernelclient.Outcome{}, true
}

// ask sends a probe when one half of the run's end is missing, or any sign that the kernel
// has the request, or the effect of an interrupt, or where the end may have been long ago.
// Shell answers in order and iopub speaks in order, so the probe's reply and idle come after
// all that is still to come of the run. A probe that has no answer is sent again, more and
// more rarely: the kernel may be busy, but ipykernel can also overlook what arrives while it
// sends a reply, until something else arrives (zmq tells of it by an edge on a descriptor).
func (g *generation) ask(ctx context.Context, x *run) {
	g.mu.Lock()
	half := (x.replied != x.idle || !x.started || x.interrupted || x.resumed) && !g.down
	waiting := x.probe != "" && !x.probeReplied
	if waiting {
		x.unanswered++
		waiting = x.unanswered&(x.unanswered-1) != 0 // again after 1, 2, 4, 8 … silences
	}
	g.mu.Unlock()
	if !half || waiting {
		return
	}
	h := g.header("kernel_info_request")
	g.mu.Lock()
	if x.probe == "" || x.probeReplied {
		x.probes++
		x.unanswered = 0
	}
	x.probe, x.probeReplied, x.probeIdle = h.ID, false, false
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, g.d.opt.RequestTimeout)
	defer cancel()
	_ = g.send(ctx, Message{Channel: Shell, Header: h}) // a lost connection is noticed elsewhere
}

// advance moves the run under way by a message. What comes after the generation was
// concluded changes nothing: a kernel that is being replaced may still answer, as one does
// whose code its shutdown interrupts.
func (g *generation) advance(m Message) {
	g.mu.Lock()
	x := g.run
	if x == nil || g.isEnded() || m.Parent.ID == "" || m.Parent.ID != x.msg && m.Parent.ID != x.probe {
		g.mu.Unlock()
		return
	}
	idle := m.Header.Type == "status" && m.Content.Get("execution_state").Str() == "idle"
	var changed, began bool
	if m.Parent.ID == x.probe {
		x.probeReplied = x.probeReplied || m.Header.Type == "kernel_info_reply"
		x.probeIdle = x.probeIdle || idle
		changed = true
	} else {
		changed, began = x.take(m, idle)
	}
	g.mu.Unlock()
	if began {
		g.d.sink.Emit("", event.State{State: event.Busy})
	}
	if changed {
		select {
		case x.changed <- struct{}{}:
		default:
		}
	}
}

// take notes a message of the run itself. Called with the generation's mu held.
func (x *run) take(m Message, idle bool) (changed, began bool) {
	began = !x.started && m.Channel == IOPub && !idle
	switch m.Header.Type {
	case "status":
		changed = idle
		x.idle = x.idle || idle
	case "execute_input":
		x.noteCount(m.Content)
	case "error":
		x.failure, _ = errorEvent(m.Content).(event.Error)
		x.failed, x.shown = true, true
	case "execute_reply":
		changed = true
		x.replied, x.status = true, m.Content.Get("status").Str()
		x.noteCount(m.Content)
		if x.status == "error" && !x.failed {
			x.failure, _ = errorEvent(m.Content).(event.Error)
			x.failed = true
		}
	}
	if began {
		x.started, changed = true, true
	}
	return changed, began
}

// noteCount takes the execution count from where it comes first.
func (x *run) noteCount(content rawjson.Value) {
	if n, ok := content.Get("execution_count").Int(); ok && x.count == 0 {
		x.count = n
	}
}

// markInterrupted remembers that the run's end was asked for.
func (g *generation) markInterrupted() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.run != nil {
		g.run.interrupted = true
	}
}
