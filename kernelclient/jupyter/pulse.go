package jupyter

import (
	"context"
	"errors"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// beatTime is how long a kernel may take to give a sign of life.
const beatTime = 3 * time.Second

// pulse tells of a kernel that gives no sign of life during a silent run. One that is
// stopped keeps its connections, and one that computes is silent too: only this tells
// them apart. It belongs to the goroutine that follows the run.
type pulse struct {
	g      *generation
	x      *run
	result chan bool // whether there was a sign; nil while nobody asks
	cancel context.CancelFunc
	silent bool // as it was told
}

// check asks for a sign, unless somebody does already.
func (p *pulse) check() {
	kernel, can := p.g.kernel.(Beating)
	if !can || p.result != nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.g.ctx, beatTime)
	result := make(chan bool, 1)
	p.result, p.cancel = result, cancel
	go func() { // stop waits for it
		err := kernel.Beat(ctx)
		result <- !errors.Is(err, kernelclient.NoAnswer)
	}()
}

// take takes what check found.
func (p *pulse) take(beats bool) {
	p.cancel()
	p.result = nil
	if beats == !p.silent {
		return
	}
	p.silent = !beats
	state := event.State{State: event.NotResponding, Detail: "it may have been stopped, or the machine is out of memory"}
	if beats {
		state = p.g.stateOf(p.x)
	}
	p.g.d.sink.Emit("", state)
}

// stop ends what check began. A state that no longer holds is not left behind.
func (p *pulse) stop() {
	if p.result != nil {
		p.cancel()
		<-p.result
	}
	if p.silent && !p.g.isEnded() {
		p.g.d.sink.Emit("", p.g.stateOf(p.x))
	}
}

// stateOf is the kernel's state during a run.
func (g *generation) stateOf(x *run) event.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x.started {
		return event.State{State: event.Busy}
	}
	return g.stateOfOthers()
}
