package health

import (
	"context"
	"errors"
	"time"
)

// ErrUnsupported says that this system does not tell, or not in a way that is read here.
var ErrUnsupported = errors.New("what processes use cannot be read on this system")

// Usage is what a kernel's processes use at one moment.
type Usage struct {
	At        time.Time
	Processes int           // 0: it is gone
	Resident  int64         // bytes of memory; what processes share counts for each
	CPU       time.Duration // user and system time so far, of the processes that are there now

	// Used of Limit bytes is what everything on the machine, or in the control group that
	// bounds the kernel, takes of its memory; caches that can be dropped do not count.
	// Limit is 0 where that is unknown.
	Used, Limit int64

	GPU int64 // bytes of the graphics cards' memory, where nvidia-smi tells
}

// Full is the share of the memory that is taken, from 0 to 1; 0 where it is unknown.
func (u Usage) Full() float64 {
	if u.Limit <= 0 {
		return 0
	}
	return float64(u.Used) / float64(u.Limit)
}

// Load is how many processors were busy on average since an earlier reading, 0 where that
// cannot be told.
func (u Usage) Load(before Usage) float64 {
	passed := u.At.Sub(before.At)
	if before.At.IsZero() || passed <= 0 || u.CPU < before.CPU { // a child has ended and took its time along
		return 0
	}
	return float64(u.CPU-before.CPU) / float64(passed)
}

// Meter reads the usage of one kernel. One goroutine uses it at a time.
type Meter struct {
	pid int
	gpu gpu
}

// New returns the Meter of the kernel whose process is pid, the leader of its process group
// or session.
func New(pid int) *Meter { return &Meter{pid: pid} }

// Read reads the usage now: ErrUnsupported where the system does not tell. It takes some
// milliseconds, and longer now and then where nvidia-smi has to be asked.
func (m *Meter) Read(ctx context.Context) (Usage, error) {
	u, pids, err := usage(m.pid)
	if err != nil {
		return Usage{}, err
	}
	u.GPU = m.gpu.read(ctx, pids)
	return u, nil
}
