package kernelclient

import (
	"context"
	"time"
)

// Running is a kernel that runs on a host's machine, whoever started it.
type Running struct {
	File    string // its connection file, absolute
	Kernel  Kernel // Name is "" where its starter said none
	Path    string // of the notebook or console that it was started for, "" if unknown
	PID     int    // 0 if unknown
	Started time.Time
}

// Joiner is a Host that can also use kernels that it did not start. It may be used from
// any goroutine.
type Joiner interface {
	// Running lists the kernels that answer, the newest first, without those of this Host.
	Running(ctx context.Context) ([]Running, error)
	// Existing makes a context of a running kernel: that of a connection file, or the newest
	// for Latest. It is interrupted by message, and neither Stop nor Close ends it: Stop
	// interrupts what runs for this context, Close not even that. Only the limits of spec
	// count. NotFound: there is no such file; Gone and NoAnswer: no kernel answers there.
	Existing(ctx context.Context, file string, spec StartSpec) (Context, error)
}

// Latest stands for the newest running kernel.
const Latest = "latest"

// JoinerOf is host as a Joiner. Unsupported: it is none.
func JoinerOf(host Host) (Joiner, error) {
	if j, ok := host.(Joiner); ok {
		return j, nil
	}
	return nil, &Error{Kind: Unsupported, What: "this host cannot use kernels that it did not start"}
}
