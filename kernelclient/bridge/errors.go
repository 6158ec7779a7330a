package bridge

import (
	"errors"
	"fmt"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

var (
	// errLocked says that somebody else holds a lock.
	errLocked = errors.New("it is in use")
	// errNoHost says that nobody listens.
	errNoHost = errors.New("no host process runs")
)

// NoHost tells whether an error says that there is no host process.
func NoHost(err error) bool { return errors.Is(err, errNoHost) }

// VersionError says that the host process speaks another version of the protocol. What
// runs there can still be listed and stopped.
type VersionError struct {
	Host, Mine int    // protocol versions
	Version    string // the client's release
	name       string // what the host process is called
	elsewhere  bool   // it is one of another machine
	rest       error  // what the exchange gave besides
}

func (e *VersionError) Error() string {
	which := "an older"
	if e.Host > e.Mine {
		which = "a newer"
	}
	if e.elsewhere {
		return fmt.Sprintf("%s is of %s nbterm (protocol %d) than this one (%s, protocol %d); update the older of the two",
			e.name, which, e.Host, e.Version, e.Mine)
	}
	return fmt.Sprintf("the host process is of %s nbterm (protocol %d) than this one (%s, protocol %d)"+
		"; save where its notebooks are open, then `nbterm stop --all` ends it and its kernels; --no-host works without it",
		which, e.Host, e.Version, e.Mine)
}

// Is reports whether target is Protocol.
func (e *VersionError) Is(target error) bool { return target == kernelclient.Protocol }

// wireError is an error as it goes over the wire: enough to be made again as the same type.
type wireError struct {
	Text  string                     `json:"text"`
	Kind  kernelclient.Kind          `json:"kind,omitempty"` // an Error, with What and Next
	What  string                     `json:"what,omitempty"`
	Next  string                     `json:"next,omitempty"`
	After time.Duration              `json:"retry_after_ns,omitempty"`
	Death *kernelclient.Death        `json:"death,omitempty"`
	Clock *kernelclient.TimeoutError `json:"clock,omitempty"`
	Well  string                     `json:"well_known,omitempty"`
	Cause *wireError                 `json:"cause,omitempty"`
}

// wellKnown are the errors that callers compare with.
func wellKnown() map[string]error {
	return map[string]error{
		"answered":  kernelclient.ErrAnswered,
		"busy":      kernelclient.ErrBusy,
		"compacted": kernelclient.ErrCompacted,
	}
}

func encodeError(err error) *wireError {
	if err == nil {
		return nil
	}
	w := &wireError{Text: err.Error()}
	for name, known := range wellKnown() {
		if errors.Is(err, known) {
			w.Well = name
			return w
		}
	}
	switch e := err.(type) { //nolint:errorlint // a wrapped one is found below, with the words around it
	case *kernelclient.Error:
		w.Kind, w.What, w.Next, w.After, w.Cause = e.Kind, e.What, e.Next, e.RetryAfter, encodeError(e.Err)
	case *kernelclient.Death:
		w.Death = e
	case *kernelclient.TimeoutError:
		w.Clock = e
	default:
		w.Cause = typedCause(err)
	}
	return w
}

// typedCause encodes the error of ours that err wraps, nil if there is none.
func typedCause(err error) *wireError {
	var own *kernelclient.Error
	var death *kernelclient.Death
	var clock *kernelclient.TimeoutError
	switch {
	case errors.As(err, &own):
		return encodeError(own)
	case errors.As(err, &death):
		return encodeError(death)
	case errors.As(err, &clock):
		return encodeError(clock)
	}
	return nil
}

func decodeError(w *wireError) error {
	switch {
	case w == nil:
		return nil
	case w.Well != "" && wellKnown()[w.Well] != nil:
		return wellKnown()[w.Well]
	case w.Death != nil:
		return w.Death
	case w.Clock != nil:
		return w.Clock
	case w.Kind != "":
		return &kernelclient.Error{Kind: w.Kind, What: w.What, Next: w.Next, RetryAfter: w.After, Err: decodeError(w.Cause)}
	}
	return &remoteError{w.Text, decodeError(w.Cause)}
}

// remoteError is an error of a type that only the host process knows.
type remoteError struct {
	text  string
	cause error
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error { return e.cause }
