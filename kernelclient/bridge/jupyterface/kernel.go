package jupyterface

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

const (
	// maxRestarts is how often in a row a kernel that dies is started again by itself, as
	// Jupyter Server does; one that lived for stable counts anew.
	maxRestarts = 5
	stable      = 10 * time.Second
	// politeness is how long a kernel may take to obey shutdown_request.
	politeness = time.Second
)

var errEnded = &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel has ended"}

// kernel is one kernel of the face: one id over any number of processes, and its clients.
type kernel struct {
	face     *Face
	id, name string
	launcher jupyter.Launcher
	session  string             // of the face's own messages
	ctx      context.Context    // ended by stop
	cancel   context.CancelFunc // of ctx
	life     chan struct{}      // held by who starts or ends processes
	wg       sync.WaitGroup     // starts and watchers

	mu       sync.Mutex    // guards all below
	gen      *generation   // the process in use or starting, nil for none
	changed  chan struct{} // closed, and another, when gen, what it can do, or who is there has changed
	state    string        // execution_state
	reason   string        // why the state is dead
	busy     string        // msg_id of the execute_request that runs
	active   time.Time
	restarts int
	clients  []*client
	kept     *kept  // what came while nobody was there
	askers   askers // whose request a reply is for
}

// kernelModel is a kernel in the words of the REST interface.
type kernelModel struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Active      string `json:"last_activity"`
	State       string `json:"execution_state"`
	Connections int    `json:"connections"`
	Reason      string `json:"reason,omitempty"`
}

func (k *kernel) model() kernelModel {
	k.mu.Lock()
	defer k.mu.Unlock()
	return kernelModel{
		ID: k.id, Name: k.name, Active: stamp(k.active), State: k.state, Connections: len(k.clients), Reason: k.reason,
	}
}

// set notes the kernel's process and its state. Who waits for it is woken.
func (k *kernel) set(g *generation, state, reason string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gen, k.state, k.reason, k.busy, k.active = g, state, reason, "", time.Now()
	k.wake()
}

// wake is called with mu held.
func (k *kernel) wake() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// ready waits for the process that takes messages. It is an error that there will be none.
func (k *kernel) ready(ctx context.Context) (*generation, error) {
	for {
		k.mu.Lock()
		g, changed, dead := k.gen, k.changed, k.state == "dead"
		k.mu.Unlock()
		switch {
		case dead || k.ctx.Err() != nil:
			return nil, errEnded
		case g != nil && isClosed(g.ready):
			return g, nil
		}
		select {
		case <-changed:
		case <-k.ctx.Done():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lock takes the right to start and end processes.
func (k *kernel) lock(ctx context.Context) error {
	select {
	case k.life <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *kernel) unlock() { <-k.life }

// start launches processes until one is ready, as often as the launcher says. The caller
// has the lock.
func (k *kernel) start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	if limit := k.face.opt.Startup; limit > 0 {
		late := &kernelclient.TimeoutError{Clock: kernelclient.Starting, Limit: limit, Setting: "--startup-timeout"}
		ctx, cancel = context.WithTimeoutCause(ctx, limit, late)
		defer cancel()
	}
	for retry := 0; ; retry++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		process, err := k.launcher.Launch(ctx, retry)
		if err != nil {
			return err
		}
		g := newGeneration(k, process)
		k.set(g, "starting", "")
		err = g.awaitReady(ctx)
		if err == nil {
			k.begin(g)
			return nil
		}
		k.set(nil, "starting", "")
		_ = g.stop(ended()) // nobody waits for it
		if ctx.Err() != nil || retry >= k.launcher.Retries() {
			return err
		}
	}
}

// begin lets clients at a process that has answered.
func (k *kernel) begin(g *generation) {
	k.mu.Lock()
	close(g.ready)
	k.state, k.active = "idle", time.Now()
	k.wake()
	k.mu.Unlock()
	k.wg.Go(func() { k.watch(g) })
}

// watch starts the kernel again when its process has ended unasked.
func (k *kernel) watch(g *generation) {
	select {
	case <-g.process.Died():
	case <-g.over: // its sockets are lost
	case <-g.left:
		return
	}
	k.life <- struct{}{}
	defer k.unlock()
	if isClosed(g.left) {
		return
	}
	g.awaitLastWords()
	_ = g.stop(ended()) // nobody waits for it
	k.mu.Lock()
	if time.Since(g.began) > stable {
		k.restarts = 0
	}
	k.restarts++
	again := k.restarts <= maxRestarts
	k.mu.Unlock()
	k.face.opt.Log.Warn("a kernel ended", "kernel", k.id, "restarts", again)
	if !again {
		k.die("it ended again and again")
		return
	}
	k.set(nil, "restarting", "")
	k.announce("restarting")
	if err := k.start(k.ctx); err != nil {
		k.die(err.Error())
	}
}

// die gives the kernel up. A restart can bring it back.
func (k *kernel) die(reason string) {
	k.set(nil, "dead", reason)
	if k.ctx.Err() == nil {
		k.announce("dead")
	}
}

// restart ends the process and returns when another one is ready.
func (k *kernel) restart(ctx context.Context) error {
	if err := k.lock(ctx); err != nil {
		return err
	}
	defer k.unlock()
	if k.ctx.Err() != nil {
		return errEnded
	}
	k.mu.Lock()
	g := k.gen
	k.gen, k.state, k.restarts = nil, "restarting", 0
	k.wake()
	k.mu.Unlock()
	if g != nil {
		_ = g.retire(ctx, true) // the next one takes its place all the same
	}
	if err := k.start(ctx); err != nil {
		k.die(err.Error())
		return err
	}
	return nil
}

// stop ends the kernel for good, gently as long as ctx lasts, and closes its websockets.
func (k *kernel) stop(ctx context.Context) error {
	k.cancel() // a start that is under way ends soon
	k.life <- struct{}{}
	k.mu.Lock()
	g := k.gen
	k.gen, k.state = nil, "dead"
	k.wake()
	k.mu.Unlock()
	var err error
	if g != nil {
		err = g.retire(ctx, false)
	}
	k.unlock()
	k.wg.Wait()
	k.dismiss()
	return err
}

// interrupt stops what the kernel runs. It is held until the kernel has answered for the
// first time: a signal that comes before its handler is there would end it.
func (k *kernel) interrupt(ctx context.Context) error {
	g, err := k.ready(ctx)
	if err != nil {
		return err
	}
	sent, err := g.process.Interrupt()
	if err != nil || sent {
		return err
	}
	return g.conn.Send(ctx, jupyter.Message{Channel: jupyter.Control, Header: g.header("interrupt_request")})
}

// ended is a context that has ended: what takes one does not wait.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

var errTooMany = errors.New("there are as many kernels as are allowed; end one first")
