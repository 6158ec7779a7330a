package jupyterface

import (
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// maxAskers is how many requests are remembered for their replies.
const maxAskers = 1 << 14

// askers remembers the sessions of requests by msg_id, the newest maxAskers of them. The
// zero value is ready.
type askers struct {
	session map[string]string
	order   []string // a ring once it is full
	next    int
}

func (a *askers) add(id, session string) {
	if a.session == nil {
		a.session = map[string]string{}
	}
	if len(a.order) < maxAskers {
		a.order = append(a.order, id)
	} else {
		delete(a.session, a.order[a.next])
		a.order[a.next] = id
		a.next = (a.next + 1) % maxAskers
	}
	a.session[id] = session
}

// dispatch hands a message of the kernel to those it is for: what comes on iopub to all, a
// reply or a question to the session whose request caused it.
func (k *kernel) dispatch(m jupyter.Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.active = time.Now()
	if m.Channel == jupyter.IOPub {
		k.follow(m)
		k.deliver(m, func(string) bool { return true })
		return
	}
	session, known := k.askers.session[m.Parent.ID]
	if known {
		k.deliver(m, func(s string) bool { return s == session })
	}
}

// deliver queues a message for the clients of the sessions that which picks, or keeps it for
// one that is away. It is called with mu held.
func (k *kernel) deliver(m jupyter.Message, which func(session string) bool) {
	for _, c := range k.clients {
		if which(c.session) {
			c.push(m)
		}
	}
	if k.kept != nil && which(k.kept.session) {
		k.kept.add(m)
	}
}

// follow reads whether the kernel runs code. Status messages about other requests say
// nothing of that: a completion does not make a kernel busy. It is called with mu held.
func (k *kernel) follow(m jupyter.Message) {
	if m.Header.Type != "status" || m.Parent.Type != "execute_request" || k.state == "restarting" || k.state == "dead" {
		return
	}
	switch state := m.Content.Get("execution_state").Str(); {
	case state == "busy":
		k.state, k.busy = "busy", m.Parent.ID
	case state == "idle" && k.busy == m.Parent.ID:
		k.state, k.busy = "idle", ""
	}
}

// announce tells all clients of a state that only who starts kernels can know.
func (k *kernel) announce(state string) {
	g := generation{kernel: k, name: newID()}
	m := jupyter.Message{Channel: jupyter.IOPub, Header: g.header("status"), Content: []byte(`{"execution_state":"` + state + `"}`)}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deliver(m, func(string) bool { return true })
}

// join adds a client. A session that comes back gets what was kept for it, and takes the
// place of a connection of its own that is still there; for another one nothing is kept.
func (k *kernel) join(c *client) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, old := range k.clients {
		if old.session == c.session {
			old.end()
		}
	}
	if k.kept != nil && k.kept.session == c.session {
		for _, m := range k.kept.all() {
			c.push(m)
		}
	}
	k.kept = nil
	k.clients = append(k.clients, c)
	k.wake()
	if k.ctx.Err() != nil { // dismiss may have been before
		c.end()
	}
}

// part removes a client. If it was the last one, what comes is kept for its session, with
// what it did not get.
func (k *kernel) part(c *client) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clients = slices.DeleteFunc(k.clients, func(have *client) bool { return have == c })
	k.wake()
	unsent := c.unsent()
	if len(k.clients) > 0 || k.state == "dead" || k.ctx.Err() != nil {
		return
	}
	k.kept = &kept{session: c.session}
	for _, m := range unsent {
		k.kept.add(m)
	}
}

// dismiss closes all websockets of the kernel.
func (k *kernel) dismiss() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = nil
	for _, c := range k.clients {
		c.end()
	}
}
