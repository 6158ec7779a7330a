package jupyterface

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

const (
	// helloAgain is the pause between kernel_info requests until the kernel speaks on all
	// channels.
	helloAgain = 150 * time.Millisecond
	// lastWords is how long after its process's end a kernel's messages are waited for.
	lastWords = time.Second
)

// generation is one process of a kernel, from its launch to its end.
type generation struct {
	kernel  *kernel
	process jupyter.Kernel
	conn    jupyter.Conn
	name    string // begins the ids of our own messages
	began   time.Time
	ready   chan struct{} // closed by kernel.begin: clients may send
	over    chan struct{} // closed when nothing more is received
	left    chan struct{} // closed when the process is let go of on purpose, or replaced
	leave   sync.Once

	answered, heard chan struct{} // closed when our hello was answered, and when iopub spoke
	mu              sync.Mutex    // guards last
	last            int           // message number
}

func newGeneration(k *kernel, p jupyter.Kernel) *generation {
	g := &generation{
		kernel: k, process: p, conn: p.Conn(), name: rand.Text(), began: time.Now(),
		ready: make(chan struct{}), over: make(chan struct{}), left: make(chan struct{}),
		answered: make(chan struct{}), heard: make(chan struct{}),
	}
	k.wg.Go(g.receive)
	return g
}

// header returns the header of a new message of our own.
func (g *generation) header(typ string) jupyter.Header {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	return jupyter.Header{ID: g.name + "_" + strconv.Itoa(g.last), Type: typ, Session: g.kernel.session}
}

// awaitReady waits until all channels are connected, the kernel has answered and iopub has
// spoken: only then is no output missed.
func (g *generation) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(helloAgain)
	defer tick.Stop()
	connected, answered, heard := jupyter.Connected(g.conn), g.answered, g.heard
	for hello := true; connected != nil || answered != nil || heard != nil; {
		if hello && (answered != nil || heard != nil) {
			m := jupyter.Message{Channel: jupyter.Shell, Header: g.header("kernel_info_request")}
			if err := g.conn.Send(ctx, m); err != nil {
				return g.failure(ctx, err)
			}
		}
		hello = false
		select {
		case <-connected:
			connected = nil
		case <-answered:
			answered = nil
		case <-heard:
			heard = nil
		case <-tick.C:
			hello = true
		case <-g.process.Died():
			return g.process.Death()
		case <-g.over:
			return g.failure(ctx, nil)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// failure prefers what is known of the process's end to an error of sending.
func (g *generation) failure(ctx context.Context, err error) error {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-g.process.Died():
		return g.process.Death()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
	}
	if err == nil {
		err = &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the connection to the kernel is lost"}
	}
	return err
}

// receive hands on messages until the connection ends. Nothing in it waits.
func (g *generation) receive() {
	defer close(g.over)
	for {
		m, err := g.conn.Recv()
		if err != nil {
			return
		}
		switch {
		case m.Trouble != "":
			g.kernel.face.opt.Log.Warn("a message of a kernel was dropped", "kernel", g.kernel.id)
		case m.Link != nil: // no transport of a kernel of this machine has it
		case m.Parent.Session == g.kernel.session:
			g.own(m)
		default:
			if m.Channel == jupyter.IOPub {
				once(g.heard)
			}
			g.kernel.dispatch(m)
		}
	}
}

// own takes what a message of our own caused. No client is told but of the kernel's end.
func (g *generation) own(m jupyter.Message) {
	switch {
	case m.Channel == jupyter.IOPub:
		once(g.heard)
		if m.Header.Type == "shutdown_reply" { // which tells clients of a restart
			g.kernel.dispatch(m)
		}
	case m.Header.Type == "kernel_info_reply":
		once(g.answered)
	}
}

// once closes c unless it is closed. Only the receiver calls it.
func once(c chan struct{}) {
	if !isClosed(c) {
		close(c)
	}
}

// awaitLastWords waits until all that a dead process said was received, for a moment.
func (g *generation) awaitLastWords() {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-g.over:
	case <-timer.C:
	}
}

// retire asks the process to end, and ends it. Clients are told nothing but what it says
// itself.
func (g *generation) retire(ctx context.Context, restart bool) error {
	g.leave.Do(func() { close(g.left) })
	ctx, cancel := context.WithTimeout(ctx, politeness)
	defer cancel()
	content := []byte(`{"restart":` + strconv.FormatBool(restart) + `}`)
	_ = g.conn.Send(ctx, jupyter.Message{Channel: jupyter.Control, Header: g.header("shutdown_request"), Content: content}) // else by force
	return g.stop(ctx)
}

// stop ends the process and frees all that belongs to it.
func (g *generation) stop(ctx context.Context) error {
	g.leave.Do(func() { close(g.left) })
	err := g.process.Stop(ctx)
	<-g.over
	return err
}
