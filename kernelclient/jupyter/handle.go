package jupyter

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// handle passes on what a message says and moves the run along, in this order: a run that
// ends has had all its output emitted. Only the receiver calls it.
func (g *generation) handle(m Message) {
	if m.Trouble != "" {
		g.d.sink.Emit("", event.Gap{Detail: m.Trouble})
		return
	}
	if m.Link != nil {
		g.relink(*m.Link)
		return
	}
	g.mu.Lock()
	exec, known := g.parents.exec[m.Parent.ID]
	if !known && m.Channel == Stdin && g.run != nil {
		exec, known = g.run.id, true // only the run under way can be waiting for a line
	}
	g.mu.Unlock()
	if m.Channel == IOPub {
		once(g.heard)
		g.overhear(m)
	}
	body := toEvent(m.Header.Type, m.Content)
	switch m.Channel {
	case IOPub:
		g.emit(exec, m, body)
	case Stdin:
		if m.Header.Type == "input_request" && known && exec != ownQuestion {
			g.d.ask(g, exec, m)
		}
	case Shell:
		if m.Header.Type == "kernel_info_reply" {
			g.answeredShell()
			g.learn(m.Content)
		}
		if m.Header.Type == "execute_reply" && known && exec != ownQuestion {
			g.payloads(exec, m.Content)
		}
	case Control:
		if m.Header.Type == "kernel_info_reply" {
			g.learn(m.Content)
		} // else a reply that nobody waits for
	}
	g.answer(m)
	g.advance(m)
}

// emit sends an event of iopub to its execution, or to none if it is the kernel's own or
// another client's. What a question of ours puts out is the asker's alone.
func (g *generation) emit(exec event.ExecID, m Message, body event.Body) {
	if _, ok := body.(event.Started); ok && exec == "" {
		body = event.Unknown{Type: m.Header.Type, Content: m.Content} // another client's run
	}
	if body != nil && exec != ownQuestion {
		g.d.sink.Emit(exec, body)
	}
	if m.Header.Type == "comm_open" && m.Parent.Session == g.d.opt.Session {
		g.refuseComm(m.Content.Get("comm_id"))
	}
}

// refuseComm answers a comm that nobody here understands, so that its code does not wait.
func (g *generation) refuseComm(id rawjson.Value) {
	if id.Kind() != rawjson.String {
		return
	}
	h := g.header("comm_close")
	content := append(append([]byte(`{"comm_id":`), id...), `,"data":{}}`...)
	g.wg.Go(func() { // the receiver must not wait for the kernel to read
		ctx, cancel := context.WithTimeout(g.ctx, g.d.opt.RequestTimeout)
		defer cancel()
		_ = g.send(ctx, Message{Channel: Shell, Header: h, Content: content})
	})
}

// learn takes note of a kernel_info_reply.
func (g *generation) learn(content rawjson.Value) {
	g.mu.Lock()
	g.language = content.Get("language_info")
	g.mu.Unlock()
	once(g.answered)
}

// payloads passes on a reply's instructions to the front end.
func (g *generation) payloads(exec event.ExecID, content rawjson.Value) {
	for _, p := range payloadEvents(content) {
		if p.Source == "ask_exit" && !p.Data.Get("keepkernel").True() {
			g.mu.Lock()
			g.leaving = true
			g.mu.Unlock()
		}
		g.d.sink.Emit(exec, p)
	}
}

// once closes c unless it is closed. Only the receiver calls it.
func once(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
