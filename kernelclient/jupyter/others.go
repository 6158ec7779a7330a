package jupyter

import "github.com/nbterm/nbterm/kernelclient/event"

// A kernel that another program started runs that one's code too. What it is at is told as
// its state, so that whoever waits for it knows why.

// overhear follows the runs of other clients on iopub.
func (g *generation) overhear(m Message) {
	if !g.shared() || m.Header.Type != "status" || m.Parent.Type != "execute_request" || m.Parent.Session == g.d.opt.Session {
		return
	}
	state := m.Content.Get("execution_state").Str()
	g.mu.Lock()
	before := g.others
	switch {
	case state == "busy":
		g.others = m.Parent.ID
	case state == "idle" && (g.others == m.Parent.ID || g.others == ""):
		g.others = ""
	}
	g.tellOthers(before != g.others)
}

// answeredShell notes that the kernel has come to our own requests, after what ran when we
// came to it.
func (g *generation) answeredShell() {
	first := !isClosed(g.unblocked)
	once(g.unblocked)
	g.mu.Lock()
	g.tellOthers(first && g.shared())
}

// tellOthers emits the state that follows from others where that has changed and no run of
// ours decides it. It is called with mu held and releases it.
func (g *generation) tellOthers(changed bool) {
	tell := changed && g.ready && g.run == nil && !g.isEnded()
	state := g.stateOfOthers()
	g.mu.Unlock()
	if tell {
		g.d.sink.Emit("", state)
	}
}

// stateOfOthers is the kernel's state while it runs nothing of ours. It is called with mu held.
func (g *generation) stateOfOthers() event.State {
	if g.others != "" {
		return event.State{State: event.Busy}
	}
	return event.State{State: event.Idle}
}
