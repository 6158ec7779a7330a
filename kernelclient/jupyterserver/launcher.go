package jupyterserver

import (
	"context"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// shutdownLimit bounds the end of a kernel whose user does not want to wait.
const shutdownLimit = 5 * time.Second

// launcher is a jupyter.Launcher for one context: it has the server start a kernel, and
// start it anew.
type launcher struct {
	client  *client
	start   kernelclient.StartSpec
	env     map[string]string
	file    string // of the notebook on the server, "" for none
	session string // of the websockets
	orphans *orphans

	mu      sync.Mutex // guards all below
	id      string     // the kernel's, "" before the server has started one
	exists  bool       // the kernel runs already: the next launch only connects
	foreign bool       // another program started the kernel and ends it
	sender  string     // the session of the newest kernel's own messages, "" before any
}

// Retries implements jupyter.Launcher. The server has its own way of trying again.
func (l *launcher) Retries() int { return 0 }

// kernelID is the kernel's id on the server, "" before there is one.
func (l *launcher) kernelID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.id
}

// Launch implements jupyter.Launcher: the first kernel is started or joined, later ones
// take the place of the one before and keep its id.
func (l *launcher) Launch(ctx context.Context, _ int) (jupyter.Kernel, error) {
	k := &kernel{launcher: l, gone: make(chan struct{})}
	if err := l.ensure(ctx, k); err != nil {
		return nil, err
	}
	conn, err := l.client.connectTo(ctx, k.id, l.session, k.end)
	if err != nil {
		if !l.isForeign() {
			_ = k.Release(context.WithoutCancel(ctx), false)
		}
		return nil, err
	}
	l.mu.Lock()
	conn.reading.stale, conn.reading.met, conn.reading.young = l.sender, l.meet, l.sender != ""
	l.mu.Unlock()
	if k.notice != "" {
		conn.reading.out = []jupyter.Message{{Trouble: k.notice}}
	}
	k.conn = conn
	return k, nil
}

// meet notes the session of a kernel's own messages.
func (l *launcher) meet(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sender = session
}

// ensure has the server run a kernel and notes which it is.
func (l *launcher) ensure(ctx context.Context, k *kernel) error {
	l.mu.Lock()
	id, exists := l.id, l.exists
	l.exists = false
	l.mu.Unlock()
	k.id = id
	var m kernelModel
	var err error
	switch {
	case exists:
		return l.client.brief(ctx, http.MethodGet, kernelPath(id, ""), &m)
	case id != "":
		err = l.client.call(ctx, http.MethodPost, kernelPath(id, "restart"), nil, &m)
		if err == nil || refusesUs(err) || ctx.Err() != nil {
			return err
		}
		if _, gone := l.client.kernel(ctx, id); !isGone(gone) { // servers say 500 of a restart of what they do not have
			return err
		}
	}
	if m, err = l.create(ctx); err != nil {
		return err
	}
	k.id, k.notice = m.ID, m.notice
	l.mu.Lock()
	defer l.mu.Unlock()
	l.id, l.foreign = m.ID, false
	return nil
}

// isForeign tells whether the kernel is another program's to end.
func (l *launcher) isForeign() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.foreign
}

// create has the server start a kernel: with a session where it has the notebook.
func (l *launcher) create(ctx context.Context) (kernelModel, error) {
	if l.file == "" {
		return l.bare(ctx)
	}
	name := l.file[strings.LastIndexByte(l.file, '/')+1:]
	in := map[string]any{"path": l.file, "name": name, "type": "notebook", "kernel": map[string]string{"name": l.start.Kernel}}
	var s sessionModel
	err := l.orphans.guard(ctx, func(ctx context.Context) error {
		return l.client.call(ctx, http.MethodPost, "/api/sessions", in, &s)
	}, func(ctx context.Context) { _ = l.client.end(ctx, s.Kernel.ID) })
	if err == nil || ctx.Err() != nil || refusesUs(err) {
		return s.Kernel, err
	}
	m, bare := l.bare(ctx)
	if bare != nil {
		return m, err
	}
	m.notice = "the server refuses a session for " + l.file + ", so the kernel runs without one: " + err.Error()
	return m, nil
}

// bare starts a kernel without a session.
func (l *launcher) bare(ctx context.Context) (m kernelModel, err error) {
	in := map[string]any{"name": l.start.Kernel}
	if len(l.env) > 0 {
		in["env"] = l.env // heeded by gateways
	}
	switch dir := l.start.Dir; {
	case dir == "": // the folder where the server's files begin; without a word it is where the server was started
		in["path"] = ""
	case !path.IsAbs(dir): // an absolute one is not below the server's root
		in["path"] = path.Clean(dir)
	}
	err = l.orphans.guard(ctx, func(ctx context.Context) error {
		return l.client.call(ctx, http.MethodPost, "/api/kernels", in, &m)
	}, func(ctx context.Context) { _ = l.client.end(ctx, m.ID) })
	return m, err
}

// end has the server end a kernel. One that is gone already is fine.
func (c *client) end(ctx context.Context, id string) error {
	err := c.call(ctx, http.MethodDelete, kernelPath(id, ""), nil, nil)
	if isGone(err) {
		return nil
	}
	return err
}

// kernel is a jupyter.Kernel on a server, of one generation.
type kernel struct {
	*launcher
	id     string
	conn   *conn
	notice string // what is to be said of its start, "" for nothing

	once  sync.Once
	death *kernelclient.Death // set before gone is closed
	gone  chan struct{}
}

var (
	_ jupyter.Kernel  = (*kernel)(nil)
	_ jupyter.Managed = (*kernel)(nil)
)

// Conn implements jupyter.Kernel.
func (k *kernel) Conn() jupyter.Conn { return k.conn }

// PID implements jupyter.Kernel: the process is another machine's.
func (k *kernel) PID() int { return 0 }

// Remote implements jupyter.Managed.
func (k *kernel) Remote() string { return k.id }

// end notes the kernel's end. The first word counts.
func (k *kernel) end(d *kernelclient.Death) {
	k.once.Do(func() {
		k.death = d
		close(k.gone)
	})
}

// Died implements jupyter.Kernel.
func (k *kernel) Died() <-chan struct{} { return k.gone }

// Death implements jupyter.Kernel.
func (k *kernel) Death() *kernelclient.Death { return k.death }

// Interrupt implements jupyter.Kernel: the server knows how its kernels want it.
func (k *kernel) Interrupt() (sent bool, err error) {
	return true, k.client.brief(context.Background(), http.MethodPost, kernelPath(k.id, "interrupt"), nil)
}

// Stop implements jupyter.Kernel; the driver calls Release instead.
func (k *kernel) Stop(ctx context.Context) error { return k.Release(ctx, false) }

// Release implements jupyter.Managed.
func (k *kernel) Release(ctx context.Context, restart bool) error {
	if k.conn != nil {
		_ = k.conn.Close()
	}
	if restart || k.isForeign() {
		return nil
	}
	if ctx.Err() != nil { // by force is not without a word: the kernel would stay
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, shutdownLimit)
	defer cancel()
	return k.client.end(ctx, k.id)
}
