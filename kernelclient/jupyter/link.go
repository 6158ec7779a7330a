package jupyter

import "github.com/nbterm/nbterm/kernelclient/event"

// relink takes what the transport tells of the way to the kernel. The kernel goes on
// meanwhile; a run under way may have ended unheard, so it is asked after once the way is
// there again. Only the receiver calls it.
func (g *generation) relink(l Link) {
	g.mu.Lock()
	g.down = !l.Up
	x := g.run
	var id event.ExecID
	if x != nil {
		id = x.id
	}
	if x != nil && l.Up && x.msg != "" {
		x.resumed = true
		x.probe, x.probeReplied, x.probeIdle = "", false, false // it may have been lost
	}
	tell := g.ready && !g.isEnded()
	state := g.stateOfOthers()
	g.mu.Unlock()
	if !tell {
		return
	}
	if l.Up && l.Detail != "" {
		g.d.sink.Emit(id, event.Gap{Detail: l.Detail})
	}
	switch {
	case !l.Up:
		state = event.State{State: event.Reconnecting, Detail: l.Detail}
	case x != nil:
		state = g.stateOf(x)
	}
	g.d.sink.Emit("", state)
	if x != nil {
		select {
		case x.changed <- struct{}{}:
		default:
		}
	}
}
