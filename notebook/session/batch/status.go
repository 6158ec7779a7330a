package batch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Status is an exit status of the program.
type Status int

// The statuses that a run can have.
const (
	OK          Status = 0
	CellFailed  Status = 1
	Usage       Status = 2
	NoKernel    Status = 3 // none, died, unreachable, lost or refusing
	TimedOut    Status = 4
	HungUp      Status = 129
	Interrupted Status = 130
	ReaderGone  Status = 141
	Terminated  Status = 143
)

// Error is a failure with its exit status. Its text is one plain line: what, why, what next.
type Error struct {
	Status Status
	Text   string
	Err    error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Text
	}
	if e.Text == "" {
		return e.Err.Error()
	}
	return e.Text + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// StatusOf is the status that an error of this package or of a host stands for.
func StatusOf(err error) Status {
	var own *Error
	var timeout *kernelclient.TimeoutError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &own):
		return own.Status
	case errors.As(err, &timeout) && timeout.Clock == kernelclient.WholeRun:
		return TimedOut
	case errors.Is(err, kernelclient.Invalid):
		return Usage
	}
	return NoKernel
}

// WriteError says why output could not be written: its reader is gone, or the disk refuses.
func WriteError(err error) *Error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return &Error{Status: ReaderGone, Text: "the reader of the output is gone"}
	}
	return &Error{Status: Usage, Text: "the output could not be written", Err: err}
}

// cause unwraps "the kernel is not running" to why it is not: nobody here can restart it.
func cause(err error) error {
	var gone *kernelclient.Error
	if errors.As(err, &gone) && gone.Kind == kernelclient.Gone && gone.Err != nil {
		return gone.Err
	}
	return err
}

// ofEnd is the status of one execution's end.
func ofEnd(e event.Ended) Status {
	switch e.Reason {
	case event.Done:
		return OK
	case event.Failed, event.Interrupted, event.Cancelled:
		return CellFailed
	case event.TimedOut:
		return TimedOut
	default:
		return NoKernel
	}
}

// ofSignal is the status of a run that a signal ended.
func ofSignal(s os.Signal) Status {
	switch s {
	case os.Interrupt:
		return Interrupted
	case syscall.SIGHUP:
		return HungUp
	}
	return Terminated
}

// Stopped is the error of what a signal ended.
func Stopped(s os.Signal) *Error {
	return &Error{Status: ofSignal(s), Text: fmt.Sprintf("ended by the signal %q", s)}
}

// failure is the line that tells of an execution's end; what names it ("cell 3"), last is its error, if any.
func failure(what string, end event.Ended, last *event.Error) *Error {
	e := &Error{Status: ofEnd(end)}
	switch {
	case end.Reason == event.Failed && last != nil:
		e.Text = fmt.Sprintf("%s failed: %s", what, oneLine(last.Name+": "+last.Value))
	case end.Detail != "":
		e.Text = fmt.Sprintf("%s %s: %s", what, verb(end.Reason), oneLine(end.Detail))
	default:
		e.Text = what + " " + verb(end.Reason)
	}
	return e
}

func verb(r event.Reason) string {
	switch r {
	case event.Failed:
		return "failed"
	case event.Interrupted:
		return "was interrupted"
	case event.TimedOut:
		return "timed out"
	case event.Died:
		return "ended with its kernel"
	case event.Lost:
		return "was lost"
	case event.Restarted:
		return "was ended by a restart"
	case event.Cancelled:
		return "did not run"
	default:
		return "ended"
	}
}
