package hosts

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// lost is the driver of a context whose host could not be asked for it: what it had put out
// can be read, and that is all.
type lost struct{ why error }

// lostContext is such a context. The kernel may run on, which its reason says.
func lostContext(t Target, a kernelclient.Adoption, why error) kernelclient.Context {
	if errors.Is(why, context.DeadlineExceeded) {
		why = errors.New("it did not answer in time")
	}
	a.Log.Gone = &kernelclient.Error{
		Kind: kernelclient.Gone, What: fmt.Sprintf("the kernel on %s could not be found again", t.URL),
		Next: "it may run on: `nbterm contexts list --host " + t.URL + "` tells", Err: why,
	}
	return kernelclient.OpenLog(a.Info, lost{a.Log.Gone}, a.Log)
}

// Open implements kernelclient.Driver.
func (l lost) Open(context.Context, kernelclient.Sink) (kernelclient.Ready, error) {
	return kernelclient.Ready{}, l.why
}

// Run implements kernelclient.Driver. It is never called: the context is not open.
func (l lost) Run(context.Context, kernelclient.Request) kernelclient.Outcome {
	return kernelclient.Outcome{Reason: event.Died, Detail: l.why.Error()}
}

// Interrupt implements kernelclient.Driver.
func (l lost) Interrupt(context.Context) error { return l.why }

// Answer implements kernelclient.Driver.
func (l lost) Answer(context.Context, event.InputID, string) error { return l.why }

// Restart implements kernelclient.Driver.
func (l lost) Restart(context.Context) (kernelclient.Ready, error) {
	return kernelclient.Ready{}, l.why
}

// Close implements kernelclient.Driver.
func (lost) Close(context.Context, bool) error { return nil }
