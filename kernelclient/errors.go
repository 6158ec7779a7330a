package kernelclient

import (
	"errors"
	"fmt"
	"time"
)

// Kind classes an error for those who decide on it: errors.Is(err, kernelclient.NotFound).
type Kind string

// The kinds.
const (
	NotFound    Kind = "not found"
	Exists      Kind = "exists"
	Invalid     Kind = "invalid argument"
	Permission  Kind = "permission denied"
	Unsupported Kind = "unsupported here"
	Disconnect  Kind = "connection lost"
	Killed      Kind = "ended" // the kernel's process is gone: see Death
	Gone        Kind = "not running"
	Protocol    Kind = "protocol error"
	NoSpace     Kind = "no space"
	NoAnswer    Kind = "no answer" // a question that the kernel let pass

	Unauthenticated Kind = "not signed in"    // no token or key, or one that is not taken
	Forbidden       Kind = "not in your plan" // who asks is known, and may not do this
	RateLimited     Kind = "too many requests"
)

func (k Kind) Error() string { return string(k) }

// ErrAnswered says that a question was answered, interrupted or its run ended.
var ErrAnswered = errors.New("the question is no longer open")

// Error is an error of a kind, in plain words. What says what happened and why, Next what
// the user can do about it; both are single lines without a final stop.
type Error struct {
	Kind Kind
	What string
	Next string
	Err  error // the cause, may be nil
	// RetryAfter is how long to wait before the next try, of a RateLimited error whose host
	// said so; else 0.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Next != "" {
		s += "; " + e.Next
	}
	return s
}

// Is reports whether target is e's Kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

func (e *Error) Unwrap() error { return e.Err }

// Clock names what a limit is about.
type Clock string

// The clocks.
const (
	Connecting Clock = "connecting and sending"
	Starting   Clock = "the kernel's start"
	Silence    Clock = "silence"
	WholeRun   Clock = "the run"
)

// TimeoutError says which clock ran out and which setting raises it.
type TimeoutError struct {
	Clock   Clock
	Limit   time.Duration
	Setting string // such as --startup-timeout
}

func (e *TimeoutError) Error() string { return "timed out: " + e.Why() }

// Why is Error without saying that it is a time-out.
func (e *TimeoutError) Why() string {
	return fmt.Sprintf("%s took longer than %s; %s raises the limit", e.Clock, e.Limit, e.Setting)
}

// Timeout marks it for net.Error's users.
func (e *TimeoutError) Timeout() bool { return true }

// Death says how a kernel's process ended.
type Death struct {
	Signal string // such as "SIGKILL", "" if it exited
	Code   int    // exit code, if Signal is ""
	NoMem  bool   // the system killed a process for lack of memory while it ran: probably this one
	Unseen bool   // nobody saw how: whoever started it had ended before
	Says   string // what its server says of it, where only that sees the process
	Last   string // its last words on stderr, possibly many lines
}

func (d *Death) Error() string {
	how := fmt.Sprintf("the kernel ended with exit code %d", d.Code)
	switch {
	case d.Says != "":
		how = "the kernel has ended: " + d.Says
	case d.Unseen:
		how = "the kernel has ended (how was not seen: what had started it was gone)"
	case d.Signal != "":
		how = "the kernel was killed by " + d.Signal
		if d.NoMem {
			how += ": the system ran out of memory"
		} else if d.Signal == "SIGKILL" {
			how += " (out of memory?)"
		}
	}
	if d.Last != "" {
		how += ": " + d.Last
	}
	return how
}

// Is reports whether target is Killed.
func (d *Death) Is(target error) bool { return target == Killed }
