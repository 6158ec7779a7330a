package e2bface

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

//go:embed startup.py
var startup string

// settling is how long an interrupt may take to have its effect before the next code runs
// all the same, and what is run beside the user's code may take.
const settling = 15 * time.Second

var errStopped = errors.New("the context has ended")

// codeContext is a kernel with a folder, which runs one execution at a time.
type codeContext struct {
	box           *sandbox
	id            string
	turn          int // its place in the list
	language, cwd string
	kernel        kernelclient.Context
	lock          chan struct{} // full while somebody uses the kernel; who waits is served in order
	over          chan struct{} // closed when the kernel's log has ended
	removed       chan struct{} // closed when the context is about to be stopped
	severed       chan struct{} // closed before, when connections are to break
	sever         sync.Once

	// guarded by lock:
	set   map[string]bool // variables that a request has set
	setIn int             // the generation that has them

	mu       sync.Mutex // guards all below
	current  *execution
	changed  chan struct{} // closed, and another, when the kernel's state is another
	prepared int           // the generation that has what a kernel gets at first
	notice   string        // to be told on stderr of the next run
}

// execution is what the kernel runs now.
type execution struct {
	id     event.ExecID
	events chan event.Event
	left   chan struct{} // closed when nobody reads events any more
}

// uuid is a random one.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// start starts a kernel and waits until it is ready.
func (b *sandbox) start(ctx context.Context, kernel, language, cwd string) (*codeContext, error) {
	dir, other := b.folder(cwd)
	env := b.env
	if scripts(language) {
		env = append([]string{"NO_COLOR=1"}, env...) // Deno's results have colours in their text
	}
	k, err := b.face.opt.Host.Start(ctx, kernelclient.StartSpec{
		Kernel: kernel, Dir: dir, Root: b.root, Env: env, StartupTimeout: b.face.opt.Startup, Forget: true,
	})
	if err != nil {
		return nil, err
	}
	if cwd == "" {
		cwd = b.root
	}
	c := &codeContext{
		box: b, id: uuid(), language: language, cwd: cwd, kernel: k,
		lock: make(chan struct{}, 1), over: make(chan struct{}), removed: make(chan struct{}), severed: make(chan struct{}), changed: make(chan struct{}),
	}
	if other {
		b.face.opt.Log.Warn("a context's folder does not exist; it runs in the sandbox's own", "context", c.id)
		c.notice = "the folder " + cwd + " does not exist: the code runs in " + dir + "\n"
	}
	b.face.wg.Go(func() { c.follow(k.Follow(kernelclient.Cursor{})) })
	if err := c.awaitReady(ctx, 0); err != nil {
		c.stop(ctx)
		return nil, err
	}
	return c, nil
}

func (c *codeContext) described() wire.Context {
	return wire.Context{ID: c.id, Language: c.language, Cwd: c.cwd}
}

// follow hands the kernel's events to the execution that they are of.
func (c *codeContext) follow(events kernelclient.Stream) {
	defer close(c.over)
	defer events.Close()
	for {
		batch, err := events.Next(context.Background()) // the log's end ends it
		if err != nil {
			return
		}
		for _, e := range batch {
			if _, ok := e.Body.(event.State); ok {
				c.mu.Lock()
				close(c.changed)
				c.changed = make(chan struct{})
				c.mu.Unlock()
				continue
			}
			c.mu.Lock()
			x := c.current
			c.mu.Unlock()
			if x == nil || e.Exec != x.id {
				continue
			}
			select {
			case x.events <- e:
			case <-x.left:
			}
		}
	}
}

// awaitReady waits until a kernel later than a generation takes requests.
func (c *codeContext) awaitReady(ctx context.Context, after int) error {
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		info := c.kernel.Info()
		if info.State.Generation > after || after == 0 {
			switch info.State.State {
			case event.Idle, event.Busy:
				return nil
			case event.Dead:
				if info.Err != nil {
					return info.Err
				}
				return errStopped
			default: // not yet
			}
		}
		select {
		case <-changed:
		case <-c.over:
			return errStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// submit hands a request to the kernel. The caller has the lock, and calls leave when it
// reads no more of the execution's events.
func (c *codeContext) submit(ctx context.Context, r kernelclient.Request) (*execution, error) {
	x := &execution{id: event.ExecID(rand.Text()), events: make(chan event.Event), left: make(chan struct{})}
	c.mu.Lock()
	c.current = x
	c.mu.Unlock()
	r.ID = x.id
	if err := c.kernel.Submit(ctx, r); err != nil {
		c.leave(x)
		return nil, err
	}
	return x, nil
}

func (c *codeContext) leave(x *execution) {
	c.mu.Lock()
	c.current = nil
	c.mu.Unlock()
	close(x.left)
}

// silently runs code of ours and tells how it ended.
func (c *codeContext) silently(ctx context.Context, code string) (event.Reason, error) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	x, err := c.submit(ctx, kernelclient.Request{Code: code, Silent: true})
	if err != nil {
		return "", err
	}
	defer c.leave(x)
	return c.awaitEnd(ctx, x)
}

// awaitEnd drops events up to the execution's end.
func (c *codeContext) awaitEnd(ctx context.Context, x *execution) (event.Reason, error) {
	for {
		select {
		case e := <-x.events:
			if end, ok := e.Body.(event.Ended); ok {
				return end.Reason, nil
			}
		case <-c.over:
			return "", errStopped
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// prepare gives a kernel of Python what results are made with, once in its life.
func (c *codeContext) prepare(ctx context.Context) error {
	generation := c.kernel.Info().State.Generation
	c.mu.Lock()
	done := c.prepared == generation
	c.mu.Unlock()
	if done || c.language != "python" {
		return nil
	}
	if err := c.awaitReady(ctx, 0); err != nil {
		return err
	}
	reason, err := c.silently(ctx, prelude())
	if err != nil {
		return err
	}
	if reason != event.Done {
		c.box.face.opt.Log.Warn("the start-up code ended early", "context", c.id, "reason", string(reason))
	}
	c.mu.Lock()
	c.prepared = generation
	c.mu.Unlock()
	return nil
}

// dead tells whether there is no kernel.
func (c *codeContext) dead() bool { return c.kernel.Info().State.State == event.Dead }

// restart replaces the kernel and waits for the next one, which somebody else may be
// starting already.
func (c *codeContext) restart(ctx context.Context) error {
	before := c.kernel.Info().State
	if before.State == event.Restarting {
		return c.awaitReady(ctx, before.Generation-1)
	}
	if err := c.kernel.Restart(ctx); err != nil && !errors.Is(err, kernelclient.Exists) {
		return err
	}
	return c.awaitReady(ctx, before.Generation)
}

// revive replaces a kernel that died or that the way to was lost.
func (c *codeContext) revive(ctx context.Context) error {
	if !c.dead() || c.ended() {
		return nil
	}
	return c.restart(ctx)
}

// stop ends the context, gently as long as ctx lasts.
func (c *codeContext) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if c.kernel.Info().Running > 0 {
		_ = c.kernel.Interrupt(ctx) // else it would not hear that it is to end
	}
	if err := c.kernel.Stop(ctx, false); err != nil {
		c.box.face.opt.Log.Warn("a kernel did not end well", "context", c.id, "error", err)
	}
}

// cut breaks the connections of the context's executions.
func (c *codeContext) cut() { c.sever.Do(func() { close(c.severed) }) }

// variables sets a request's variables and undoes what the request before set. It is not
// undone at once, as output of some kernels, Deno's, goes to the request that came last. The
// caller has the lock.
func (c *codeContext) variables(ctx context.Context, vars map[string]string) error {
	generation := c.kernel.Info().State.Generation
	if c.setIn != generation {
		c.set, c.setIn = nil, generation // a new kernel has none of them
	}
	var all []variable
	for name, value := range vars {
		all = append(all, variable{name: name, value: value, set: true})
	}
	for name := range c.set {
		if _, again := vars[name]; !again {
			value, set := environ(slices.Concat(c.box.face.opt.Env, c.box.env), name)
			all = append(all, variable{name: name, value: value, set: set})
		}
	}
	slices.SortFunc(all, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	code := ""
	if len(all) > 0 {
		code = assignments(c.language, all)
	}
	if code == "" {
		return nil
	}
	before := c.set
	c.set = map[string]bool{}
	maps.Copy(c.set, before) // until it is known that they are gone
	for name := range vars {
		c.set[name] = true
	}
	if _, err := c.silently(ctx, code); err != nil {
		return err
	}
	maps.DeleteFunc(c.set, func(name string, _ bool) bool { _, mine := vars[name]; return !mine })
	return nil
}
