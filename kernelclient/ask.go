package kernelclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// ErrBusy says that the kernel runs the user's code and cannot be asked before it is done.
var ErrBusy = errors.New("the kernel is busy")

// askLimit is how long a kernel may take to answer where LogOptions do not say. The first
// completion of a Python kernel imports its parser, which takes seconds on a loaded machine.
const askLimit = 10 * time.Second

// Asker asks a kernel about code, which it does not run. Answers come back to the caller
// and never into the log; a kernel that answers is not Busy. All positions are bytes of
// the code. A kernel that runs code makes every question fail with ErrBusy at once, one
// that does not answer in time with NoAnswer, one that is not there with Gone. It may be
// used from any goroutine; ending ctx drops the question and its answer.
type Asker interface {
	// Complete returns what could stand at the cursor.
	Complete(ctx context.Context, code string, cursor int) (Completion, error)
	// Inspect returns what is known of the thing at the cursor. Detail 1 asks for its source too.
	Inspect(ctx context.Context, code string, cursor, detail int) (Inspection, error)
	// IsComplete tells whether code could be run as it is. Kernels may not know: NoAnswer.
	IsComplete(ctx context.Context, code string) (IsComplete, error)
	// History returns earlier inputs, oldest first. Many kernels keep none.
	History(ctx context.Context, q HistoryQuery) ([]HistoryEntry, error)
}

// Completion is what could replace the bytes from Start to End of the code.
type Completion struct {
	Start, End int
	Matches    []Match // in the kernel's order, no text twice
}

// Match is one completion: the whole text that replaces Start to End.
type Match struct {
	Text string
	Type string // such as "function", as the kernel calls it; "" where it does not say
}

// Inspection is what a kernel knows of a name. Data is empty unless Found; its plain text
// may hold ANSI sequences.
type Inspection struct {
	Found bool
	Data  mime.Bundle
}

// CompleteStatus is whether code is whole.
type CompleteStatus string

// The statuses, in the protocol's words.
const (
	CodeComplete   CompleteStatus = "complete"
	CodeIncomplete CompleteStatus = "incomplete"
	CodeInvalid    CompleteStatus = "invalid"
	CodeUnknown    CompleteStatus = "unknown"
)

// IsComplete is whether code is whole. Indent begins the next line of incomplete code.
type IsComplete struct {
	Status CompleteStatus
	Indent string
}

// HistoryQuery says which inputs are wanted: those that match Pattern (with * and ?) if it
// is set, else the lines Start to Stop of Session if Stop is set, else the last N.
type HistoryQuery struct {
	N           int // at most; 0 for the kernel's choice
	Pattern     string
	Session     int // 0 is the present one
	Start, Stop int // Stop itself is not in it
}

// HistoryEntry is one earlier input.
type HistoryEntry struct {
	Session, Line int
	Input         string
}

// SilentError is the error of a question that was not answered within limit: its Kind is NoAnswer.
func SilentError(what string, limit time.Duration) error {
	return &Error{Kind: NoAnswer, What: fmt.Sprintf("the kernel did not answer the %s within %s", what, limit)}
}

// Ask implements Context: nil for a driver that cannot be asked, and before its kernel is ready.
func (l *Log) Ask() Asker {
	d, ok := l.driver.(Asker)
	if caps := l.Capabilities(); !ok || !caps.Asked() {
		return nil
	}
	return asker{l, d}
}

// asker lets nothing through while code runs or waits, and bounds every question.
type asker struct {
	log    *Log
	driver Asker
}

// askable says why the kernel cannot be asked now, nil if it can.
func (l *Log) askable() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closing || l.info.State.State == event.Dead:
		return &Error{Kind: Gone, What: "the kernel is not running", Next: "restart it", Err: l.err}
	case l.cancelOpen != nil || l.info.State.State == event.Starting || l.info.State.State == event.Restarting:
		return &Error{Kind: Gone, What: "the kernel is not ready yet"}
	case l.running != nil || len(l.queue) > 0 || l.info.State.State == event.Busy:
		return ErrBusy
	}
	return nil
}

// begin checks that the kernel can be asked and returns a context that bounds the question.
func (a asker) begin(ctx context.Context, what string) (context.Context, context.CancelFunc, error) {
	if err := a.log.askable(); err != nil {
		return nil, nil, err
	}
	limit := a.log.opt.AskTimeout
	if limit <= 0 {
		limit = askLimit
	}
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(a.log.life, func() { end(errStopped()) })
	ctx, cancel := context.WithTimeoutCause(ctx, limit, SilentError(what, limit))
	return ctx, func() { stop(); cancel(); end(nil) }, nil
}

func errStopped() error {
	return &Error{Kind: Gone, What: "this context was stopped"}
}

// told is a question's error: the cause of ctx's end where the driver stopped for that.
func told(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Complete implements Asker.
func (a asker) Complete(ctx context.Context, code string, cursor int) (Completion, error) {
	ctx, done, err := a.begin(ctx, "completion")
	if err != nil {
		return Completion{}, err
	}
	defer done()
	c, err := a.driver.Complete(ctx, code, cursor)
	return c, told(ctx, err)
}

// Inspect implements Asker.
func (a asker) Inspect(ctx context.Context, code string, cursor, detail int) (Inspection, error) {
	ctx, done, err := a.begin(ctx, "inspection")
	if err != nil {
		return Inspection{}, err
	}
	defer done()
	i, err := a.driver.Inspect(ctx, code, cursor, detail)
	return i, told(ctx, err)
}

// IsComplete implements Asker.
func (a asker) IsComplete(ctx context.Context, code string) (IsComplete, error) {
	ctx, done, err := a.begin(ctx, "question whether code is complete")
	if err != nil {
		return IsComplete{}, err
	}
	defer done()
	c, err := a.driver.IsComplete(ctx, code)
	return c, told(ctx, err)
}

// History implements Asker.
func (a asker) History(ctx context.Context, q HistoryQuery) ([]HistoryEntry, error) {
	ctx, done, err := a.begin(ctx, "question for its history")
	if err != nil {
		return nil, err
	}
	defer done()
	h, err := a.driver.History(ctx, q)
	return h, told(ctx, err)
}

// Unasked is an Asker that answers nothing: each error's Kind is Unsupported. Drivers that
// can tell only their folder embed it.
type Unasked struct{}

// Complete implements Asker.
func (Unasked) Complete(context.Context, string, int) (Completion, error) {
	return Completion{}, unasked("complete code")
}

// Inspect implements Asker.
func (Unasked) Inspect(context.Context, string, int, int) (Inspection, error) {
	return Inspection{}, unasked("tell about code")
}

// IsComplete implements Asker.
func (Unasked) IsComplete(context.Context, string) (IsComplete, error) {
	return IsComplete{}, unasked("tell whether code is complete")
}

// History implements Asker.
func (Unasked) History(context.Context, HistoryQuery) ([]HistoryEntry, error) {
	return nil, unasked("tell earlier inputs")
}

func unasked(what string) error {
	return &Error{Kind: Unsupported, What: "this kernel cannot " + what}
}
