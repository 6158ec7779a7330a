package unsandbox

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/builtin"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// deleteLimit bounds the deletion of a session, also where nobody has time for it.
const deleteLimit = 15 * time.Second

//go:embed relay.py
var relay string

// liveLauncher starts nbterm's own Python kernel in a session of its own. Its two pipes are
// carried over the session's terminal.
type liveLauncher struct {
	client *Client
	spec   SessionSpec
	made   func(Session)   // is told of each session
	gone   func(id string) // and of its deletion
}

// Retries implements jupyter.Launcher.
func (l *liveLauncher) Retries() int { return 0 }

// Launch implements jupyter.Launcher.
func (l *liveLauncher) Launch(ctx context.Context, _ int) (jupyter.Kernel, error) {
	s, err := l.client.CreateSession(ctx, l.spec)
	if err != nil {
		return nil, err
	}
	l.made(s)
	k := &liveKernel{launcher: l, link: newLink(l.client, s), messages: wireio.NewQueue[jupyter.Message](), done: make(chan struct{})}
	k.link.tell = func(state jupyter.Link) { k.messages.Push(jupyter.Message{Link: &state}, 0) }
	if err = k.link.open(ctx); err == nil {
		err = k.link.boot(ctx)
		if err == nil {
			k.pipe = jupyter.NewPipe(k.link.in, k.link)
			go k.pump() // until the pipe ends, with free
			return k, nil
		}
		k.link.shut()
	}
	return nil, errors.Join(err, l.delete(ctx, s.ID))
}

// delete deletes a session, also where nobody has time for it.
func (l *liveLauncher) delete(ctx context.Context, id string) error {
	now, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteLimit)
	defer cancel()
	err := notThere(l.client.DeleteSession(now, id))
	if err == nil {
		l.gone(id)
	}
	return err
}

// notThere takes the error of deleting what is gone for none.
func notThere(err error) error {
	if errors.Is(err, kernelclient.NotFound) {
		return nil
	}
	return err
}

// boot starts the relay in the session's shell, and the kernel with it.
func (l *link) boot(ctx context.Context) error {
	// The nonce is in two parts, so that the echo of this line is not taken for an answer.
	start := fmt.Sprintf(" stty -echo -onlcr 2>/dev/null; python3 -c \"import sys,base64;print('@'+'%s boot',flush=True);"+
		"exec(base64.b64decode(''.join(iter(lambda:sys.stdin.readline().strip(),'.'))))\"\n", l.nonce)
	if err := l.typed(start); err != nil {
		return l.client.unreachable(ctx, err)
	}
	if err := l.await(ctx, lineBoot); err != nil {
		return err
	}
	program, first := builtin.PythonProgram()
	window, again := windowThere, 0
	if l.session.Multiplexer != "" {
		window, again = windowPainted, 1
	}
	text := fmt.Sprintf("NONCE, PROGRAM, WINDOW, PART, AGAIN = b%q, b%q, %d, %d, %d\n%s",
		l.nonce, base64.StdEncoding.EncodeToString([]byte(program)), window, maxPart, again, relay)
	code := base64.StdEncoding.EncodeToString([]byte(text))
	for len(code) > 0 {
		n := min(len(code), 900)
		if err := l.typed(code[:n] + "\n"); err != nil {
			return l.client.unreachable(ctx, err)
		}
		code = code[n:]
	}
	if err := l.typed(".\n"); err != nil {
		return l.client.unreachable(ctx, err)
	}
	if err := l.await(ctx, lineHello); err != nil {
		return err
	}
	_, err := l.Write(first)
	return err
}

// await waits for a step of the beginning.
func (l *link) await(ctx context.Context, kind byte) error {
	for {
		select {
		case k := <-l.hello:
			if k == kind {
				return nil
			}
		case <-l.ended:
			return &l.ending
		case <-ctx.Done():
			l.mu.Lock()
			noise := l.noise
			l.mu.Unlock()
			err := context.Cause(ctx)
			if noise != "" {
				err = fmt.Errorf("no Python began in the session, whose shell said last: %s: %w", noise, err)
			}
			return err
		}
	}
}

// liveKernel is a kernel in a session.
type liveKernel struct {
	launcher *liveLauncher
	link     *link
	pipe     jupyter.Conn
	messages *wireio.Queue[jupyter.Message]
	done     chan struct{} // closed when pump has ended
	freeing  sync.Once
}

// pump puts the kernel's messages and the link's own in one order.
func (k *liveKernel) pump() {
	defer close(k.done)
	for {
		m, err := k.pipe.Recv()
		if err != nil {
			k.messages.End(err)
			return
		}
		k.messages.Push(m, int64(len(m.Content)))
	}
}

// Conn implements jupyter.Kernel.
func (k *liveKernel) Conn() jupyter.Conn { return liveConn{k} }

// Died implements jupyter.Kernel.
func (k *liveKernel) Died() <-chan struct{} { return k.link.ended }

// Death implements jupyter.Kernel.
func (k *liveKernel) Death() *kernelclient.Death { return &k.link.ending }

// PID implements jupyter.Kernel: it is no process of this machine.
func (k *liveKernel) PID() int { return 0 }

// Interrupt implements jupyter.Kernel: ^C, which the session's terminal makes a signal.
func (k *liveKernel) Interrupt() (bool, error) { return true, k.link.typed("\x03") }

// Stop implements jupyter.Kernel. The session goes with the kernel: the next one has its own.
func (k *liveKernel) Stop(ctx context.Context) error {
	select {
	case <-k.link.ended:
	case <-ctx.Done():
	}
	err := k.launcher.delete(ctx, k.link.session.ID)
	k.link.conclude(kernelclient.Death{Says: "its session was deleted"})
	return errors.Join(err, k.free())
}

func (k *liveKernel) free() (err error) {
	k.freeing.Do(func() {
		k.link.shut()
		err = k.pipe.Close()
		<-k.done
	})
	return err
}

// liveConn is the connection of a liveKernel.
type liveConn struct{ k *liveKernel }

// Send implements jupyter.Conn.
func (c liveConn) Send(ctx context.Context, m jupyter.Message) error { return c.k.pipe.Send(ctx, m) }

// Recv implements jupyter.Conn.
func (c liveConn) Recv() (jupyter.Message, error) { return c.k.messages.Pop(context.Background()) }

// Close implements jupyter.Conn.
func (c liveConn) Close() error { return c.k.free() }

// sessionTTL is how long the service keeps a session that asks for nothing else.
const sessionTTL = time.Hour

// live makes the launcher of a context with a live kernel.
func (h *Host) live(x *lived) *liveLauncher {
	s := h.opt.Settings
	spec := SessionSpec{Network: s.Network, TTL: s.TTL, VCPU: s.VCPU, Shell: cmp.Or(s.Shell, "bash"), Multiplexer: s.Multiplexer}
	return &liveLauncher{
		client: h.client, spec: spec,
		made: func(made Session) {
			x.mu.Lock()
			x.remote, x.expires = made.ID, h.client.now().Add(cmp.Or(spec.TTL, sessionTTL))
			x.mu.Unlock()
			h.mu.Lock()
			defer h.mu.Unlock()
			h.sessions[made.ID] = x
		},
		gone: func(id string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.sessions, id)
		},
	}
}

// lived is the context of a live kernel, which ends with its session.
type lived struct {
	*kernelclient.Log
	host *Host

	mu      sync.Mutex // guards all below
	remote  string     // the session's id
	expires time.Time
	closed  bool
}

// Info implements kernelclient.Context.
func (x *lived) Info() kernelclient.ContextInfo {
	info := x.Log.Info()
	x.mu.Lock()
	defer x.mu.Unlock()
	info.Remote, info.Expires = x.remote, x.expires
	return info
}

// Close implements kernelclient.Context.
func (x *lived) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	return x.Log.Close()
}

func (x *lived) isClosed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}
