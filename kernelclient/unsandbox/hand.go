package unsandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// HandOver submits code without waiting for it, and notes the job in the job log. The kernel
// is a language; limit is the job's, 0 is that of the settings. Where the service knows only
// submissions that wait, the job that is returned may be over.
func (h *Host) HandOver(ctx context.Context, kernel, code string, env []string, limit time.Duration) (Job, error) {
	k, err := h.kernel(ctx, kernel)
	if err != nil {
		return Job{}, err
	}
	if k.Name == KernelFiles || k.Name == KernelSession {
		return Job{}, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "code in a session is no job that can be left", Next: "choose a language with --kernel"}
	}
	if limit > MaxTTL {
		return Job{}, tooLong(limit)
	}
	d := newDriver(h, kernelclient.ContextInfo{Kernel: k}, kernelclient.StartSpec{Env: env})
	defer d.end()
	x := &run{Request: kernelclient.Request{ID: event.ExecID(newID()), Code: code, Timeout: limit}}
	if x.program, err = d.program(ctx, x.Request); err != nil {
		return Job{}, err
	}
	j, err := h.client.Submit(ctx, x.program, Submission{Mode: h.opt.Settings.Submit, Say: h.opt.Warn})
	if err == nil {
		d.notes.write(d.note(x, j))
	}
	return j, err
}

// tooLong is the error of a time limit that the service does not keep.
func tooLong(limit time.Duration) error {
	return &kernelclient.Error{
		Kind: kernelclient.Invalid, What: fmt.Sprintf("Unsandbox runs a job for %d s at most, not %v s", int(MaxTTL.Seconds()), limit.Seconds()),
		Next: "--timeout 900 is the most; a session has no such limit (" + KernelSession + ")",
	}
}

// ErrNoID says that a job has no id by which it could be fetched.
var ErrNoID = errors.New("the service gave no id of the job")
