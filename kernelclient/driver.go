package kernelclient

import (
	"context"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Driver is what a kind of host implements for one context; OpenLog makes a Context of it.
// The Log calls Run once at a time, and Interrupt, Answer, Restart and Close from other
// goroutines while Run runs. A driver whose kernel can be asked is an Asker too; the Log
// does not ask while code runs.
type Driver interface {
	// Open connects or starts the kernel and returns when it is ready for Run. The sink
	// stays valid until Close returned. ctx bounds Open alone.
	Open(ctx context.Context, sink Sink) (Ready, error)
	// Run executes one request and returns when it is over for good. Output goes to the sink
	// under r.ID. It returns soon after ctx is cancelled, without touching the kernel, and at
	// once when the kernel dies, is restarted or the driver is closed.
	Run(ctx context.Context, r Request) Outcome
	// Interrupt asks the kernel to stop what it runs. It does not wait for the effect.
	Interrupt(ctx context.Context) error
	// Answer passes on the answer to an InputRequest that the driver emitted.
	Answer(ctx context.Context, id event.InputID, line string) error
	// Restart ends the kernel, whatever state it is in, and returns when the next one is ready.
	Restart(ctx context.Context) (Ready, error)
	// Close lets go of everything the driver holds, goroutines too. With stop it also ends
	// the kernel: politely while ctx lasts, by force after.
	Close(ctx context.Context, stop bool) error
}

// Resumer is a Driver that can take up an execution that another process has handed to the
// same kernel: Resume is Run without the hand-over. It is called once at most, after Open.
// What was put out while nobody listened is lost; the Log says so.
type Resumer interface {
	Resume(ctx context.Context, r Request) Outcome
}

// Timekeeper is a Driver whose host ends a run by itself when Request.Timeout is over, and
// is silent until a run ends: the Log does not watch its clocks, and of a run that is resumed
// nothing can have gone by unseen.
type Timekeeper interface {
	KeepsTime()
}

// Ready is what a driver knows when its kernel takes requests.
type Ready struct {
	Capabilities Capabilities
	Language     rawjson.Value // language_info
	PID          int           // as in ContextInfo, like the two below
	PIDStart     int64
	ConnFile     string
	Busy         bool // it runs another program's code
	Remote       string
	Expires      time.Time
}

// Outcome is how a run ended. Reason is never Cancelled.
type Outcome struct {
	Reason event.Reason
	Detail string
	Count  int // execution count, 0 for none
}

// Sink takes what a driver has to tell. Emit never waits for a reader and may be called
// from any goroutine. A driver emits everything but Queued, Accepted and Ended; of State
// Busy and Idle around user code, NotResponding, Reconnecting, and Dead, which comes before Run returns
// Died. The Log adds the generation.
type Sink interface {
	Emit(exec event.ExecID, body event.Body)
	// Renew takes the place of what Open or Restart returned: a capability that came or
	// went, an end that was put off. Followers are told. Busy counts for nothing here. While
	// Open and Restart are under way only what finds the kernel counts: PID, PIDStart,
	// ConnFile, Remote and Expires. A driver tells it as soon as there is a kernel, so that
	// a crash of this process before it is ready leaves none that nobody knows.
	Renew(r Ready)
}

// TimedSink is a Sink that takes the time of an event from a driver whose host tells it, by
// that host's clock. A Log is one.
type TimedSink interface {
	Sink
	EmitAt(exec event.ExecID, body event.Body, at time.Time)
}
