package jupyter

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// generation is one kernel from its launch to its end. Its one receiver handles every
// message in order; its watcher notices its end.
type generation struct {
	d       *driver
	kernel  Kernel
	conn    Conn
	name    string          // begins the ids of messages
	adopted bool            // it ran already
	ctx     context.Context // ended by free
	cancel  context.CancelFunc
	wg      sync.WaitGroup // receiver, watcher and small answers

	answered  chan struct{} // closed by the first kernel_info_reply
	heard     chan struct{} // closed by the first message on iopub
	unblocked chan struct{} // closed by the first answer on shell: what ran before us has ended
	over      chan struct{} // closed when the receiver has ended
	ended     chan struct{} // closed by conclude, after end is set

	mu        sync.Mutex // guards all below; never held while an event is emitted
	language  rawjson.Value
	last      int // message number
	parents   parents
	run       *run
	inquiries map[string]*inquiry // by msg_id
	ready     bool
	others    string // msg_id of another client's execute_request that runs, "" for none
	deserted  bool   // a run was given up that the kernel may still be at
	stuck     bool   // and waits for a line in
	leaving   bool   // its code asked it to exit
	down      bool   // the transport has lost the way to the kernel for now
	lost      error
	end       kernelclient.Outcome
}

func newGeneration(d *driver, k Kernel) *generation {
	g := &generation{
		d: d, kernel: k, conn: k.Conn(), name: rand.Text(),
		answered: make(chan struct{}), heard: make(chan struct{}), unblocked: make(chan struct{}),
		over: make(chan struct{}), ended: make(chan struct{}),
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.adopt()
	g.wg.Go(g.receive)
	g.wg.Go(g.watch)
	return g
}

// header returns the header of a new message.
func (g *generation) header(typ string) Header {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	return Header{ID: g.name + "_" + strconv.Itoa(g.last), Type: typ, Session: g.d.opt.Session}
}

// shared tells a kernel that others may keep busy from one that was just started for us.
func (g *generation) shared() bool { return g.d.opt.Foreign || g.adopted }

// send hands m to the kernel, waiting no longer than ctx and the generation last.
func (g *generation) send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	return g.conn.Send(ctx, m)
}

// hello asks the kernel who it is. One that ran before may be busy on shell for hours: newer
// kernels answer on control meanwhile.
func (g *generation) hello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, g.d.opt.RequestTimeout)
	defer cancel()
	if g.shared() {
		m := Message{Channel: Control, Header: g.header("kernel_info_request")}
		if err := g.send(ctx, m); err != nil {
			return err
		}
	}
	h := g.header("kernel_info_request")
	g.probeResumed(h.ID)
	return g.send(ctx, Message{Channel: Shell, Header: h})
}

// becomeReady waits for a kernel_info_reply and for iopub to speak: only then is it sure
// that the subscription has reached the kernel and no output is missed.
func (g *generation) becomeReady(ctx context.Context) (kernelclient.Ready, error) {
	answered, heard := g.answered, g.heard
	for answered != nil || heard != nil {
		if err := g.hello(ctx); err != nil {
			return kernelclient.Ready{}, g.startFailure(ctx, err)
		}
		pause := helloUnanswered
		if answered == nil {
			pause = helloAgain
		}
		timer := time.NewTimer(pause)
		for again := false; !again && (answered != nil || heard != nil); {
			select {
			case <-answered:
				answered = nil
				timer.Reset(helloAgain)
			case <-heard:
				heard = nil
			case <-timer.C:
				again = true
			case <-g.ended:
				return kernelclient.Ready{}, g.startFailure(ctx, nil)
			case <-ctx.Done():
				return kernelclient.Ready{}, ctx.Err()
			}
		}
		timer.Stop()
	}
	if err := g.settle(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	if err := g.prepare(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isEnded() { // the watcher saw a kernel that was not ready and told nobody
		return kernelclient.Ready{}, g.failure()
	}
	g.ready = true
	start, file := placeOf(g.kernel)
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Stream: true, State: true, Interrupt: true, Restart: !g.d.opt.Foreign || g.d.opt.Restarts, Stdin: true, Complete: true, Inspect: true, Updates: true, Folder: g.tellsFolder()},
		Language:     g.language,
		PID:          g.kernel.PID(),
		PIDStart:     start,
		ConnFile:     file,
		Busy:         g.others != "" || !isClosed(g.unblocked),
		Remote:       remoteOf(g.kernel),
	}, nil
}

// settle waits for what a kernel that has answered may still lack: a channel, or for one
// that ran before its answer on shell, which control may have been quicker than.
func (g *generation) settle(ctx context.Context) error {
	if c, ok := g.conn.(connecting); ok {
		select {
		case <-c.connected():
		case <-g.ended:
			return g.startFailure(ctx, nil)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if g.shared() {
		g.waitFor(g.unblocked, helloAgain)
	}
	return nil
}

// startFailure prefers what the watcher finds out about the kernel to an error of sending.
func (g *generation) startFailure(ctx context.Context, err error) error {
	select {
	case <-g.ended:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * lastOutput):
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failure()
}

// failure is why the kernel ended, as an error. Called with mu held.
func (g *generation) failure() error {
	select {
	case <-g.kernel.Died():
		return g.kernel.Death()
	default:
	}
	if g.lost != nil {
		return g.lost
	}
	return &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel's start was given up"}
}

func (g *generation) isEnded() bool { return isClosed(g.ended) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// watch notices the kernel's end and tells it once, after all that the kernel had said.
func (g *generation) watch() {
	select {
	case <-g.kernel.Died():
		if g.isReady() { // else nothing that it said belongs to anybody
			g.waitFor(g.over, lastOutput)
		}
	case <-g.over:
		g.waitFor(g.kernel.Died(), lastOutput)
	case <-g.ctx.Done():
		return
	}
	_ = g.conn.Close() // a process that its children outlive leaves sockets that never end
	<-g.over
	out := g.verdict()
	g.mu.Lock()
	tell := g.ready && !g.isEnded()
	g.mu.Unlock()
	if tell {
		g.d.sink.Emit("", event.State{State: event.Dead, Detail: out.Detail})
	}
	g.conclude(out)
}

func (g *generation) waitFor(c <-chan struct{}, atMost time.Duration) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	case <-g.ctx.Done():
	}
}

// verdict is the outcome for whatever ran when the kernel ended.
func (g *generation) verdict() kernelclient.Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leaving {
		return kernelclient.Outcome{Reason: event.Died, Detail: event.ExitedByCode}
	}
	select {
	case <-g.kernel.Died():
	default:
		return kernelclient.Outcome{Reason: event.Lost, Detail: g.lost.Error()}
	}
	return kernelclient.Outcome{Reason: event.Died, Detail: g.kernel.Death().Error()}
}

// conclude ends what runs with out. The first call counts.
func (g *generation) conclude(out kernelclient.Outcome) {
	g.mu.Lock()
	first := !g.isEnded()
	if first {
		g.end = out
		close(g.ended)
	}
	g.mu.Unlock()
	if first {
		g.d.closeInputs(func(q question) bool { return q.gen == g })
	}
}

// stop ends the process: shutdown_request while ctx lasts, then by force. It returns when
// nothing of the generation is left.
func (g *generation) stop(ctx context.Context, restart bool) error {
	defer g.free()
	if m, ok := g.kernel.(Managed); ok {
		return m.Release(ctx, restart)
	}
	if ctx.Err() == nil && !g.gone() && !g.d.opt.Foreign {
		h := g.header("shutdown_request")
		_ = g.send(ctx, Message{Channel: Control, Header: h, Content: object1("restart", rawjson.Value(strconv.FormatBool(restart)))})
	}
	return g.kernel.Stop(ctx)
}

// leave interrupts what a foreign kernel runs for us, if that is to stop, or if it waits
// for a line that nobody could give it any more.
func (g *generation) leave(ctx context.Context, stop bool) {
	g.mu.Lock()
	at := stop && (g.run != nil || g.deserted) || g.stuck
	g.mu.Unlock()
	if !at && !g.d.asks(g) || g.gone() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), politeness) // by force is not without a word
	defer cancel()
	_ = g.send(ctx, Message{Channel: Control, Header: g.header("interrupt_request")}) // it cannot hear us: so be it
}

func (g *generation) gone() bool {
	select {
	case <-g.kernel.Died():
		return true
	case <-g.over:
		return true
	default:
		return false
	}
}

// free lets go of the connection and ends the generation's goroutines. The process is not touched.
func (g *generation) free() {
	g.cancel()
	_ = g.conn.Close()
	g.wg.Wait()
}

// receive handles messages until the connection ends. Nothing in it waits.
func (g *generation) receive() {
	defer close(g.over)
	for {
		m, err := g.conn.Recv()
		if err != nil {
			g.mu.Lock()
			g.lost = err
			g.mu.Unlock()
			return
		}
		g.handle(m)
	}
}

// parents remembers which execution a message's parent belongs to, for output that comes
// late. The newest maxParents are kept. The zero value is ready.
type parents struct {
	exec  map[string]event.ExecID
	order []string // a ring once it is full
	next  int
}

const maxParents = 1 << 16

func (p *parents) add(id string, exec event.ExecID) {
	if p.exec == nil {
		p.exec = map[string]event.ExecID{}
	}
	if len(p.order) < maxParents {
		p.order = append(p.order, id)
	} else {
		delete(p.exec, p.order[p.next])
		p.order[p.next] = id
		p.next = (p.next + 1) % maxParents
	}
	p.exec[id] = exec
}
