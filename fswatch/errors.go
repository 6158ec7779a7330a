package fswatch

import (
	"fmt"
	"io/fs"
	"time"
)

// Kind classes an error for those who decide on it: errors.Is(err, fswatch.NotFound).
type Kind string

// The kinds.
const (
	NotFound        Kind = "not found"
	Exists          Kind = "exists"
	Invalid         Kind = "invalid argument"
	Permission      Kind = "permission denied"
	Unauthenticated Kind = "unauthenticated"
	Forbidden       Kind = "forbidden by plan"
	RateLimited     Kind = "rate limited" // see Error.After
	Unsupported     Kind = "unsupported here"
	NoSpace         Kind = "no space"
	Disconnect      Kind = "connection lost"
	Protocol        Kind = "protocol error"
	Failed          Kind = "failed" // anything else, such as a disk that cannot be read
)

func (k Kind) Error() string { return string(k) }

// Error is an error of a kind, in plain words. What says what happened, Next what the user
// can do about it; both are without a final stop. File names in them are as they are: who
// shows an error makes it one harmless line.
type Error struct {
	Kind  Kind
	What  string
	Next  string
	After time.Duration // of RateLimited: when to try again, 0 if that was not said
	Err   error         // the cause, may be nil
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

// Is reports whether target is e's Kind, or what the standard library calls it.
func (e *Error) Is(target error) bool {
	switch target {
	case e.Kind:
		return true
	case fs.ErrNotExist:
		return e.Kind == NotFound
	case fs.ErrExist:
		return e.Kind == Exists
	case fs.ErrPermission:
		return e.Kind == Permission
	}
	return false
}

func (e *Error) Unwrap() error { return e.Err }

// TimeoutError says which clock ran out and which setting raises it.
type TimeoutError struct {
	Clock   string // such as "connecting and sending" or "silence"
	Limit   time.Duration
	Setting string // such as --request-timeout
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out: %s took longer than %s; %s raises the limit", e.Clock, e.Limit, e.Setting)
}

// Timeout marks it for net.Error's users.
func (e *TimeoutError) Timeout() bool { return true }
