package unsandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Why a run's wait ends before its job does.
var (
	errInterrupted = errors.New("interrupted")
	errRestarted   = errors.New("restarted")
)

// cancelEffort bounds the whole of a cancellation that nobody waits for.
const cancelEffort = 10 * time.Second

// driver runs each cell as a job of its own.
type driver struct {
	client   *Client
	language string // of cells that name none
	settings Settings
	env      map[string]string
	notes    jobLog
	context  kernelclient.ContextID
	path     string // of the notebook, for the job log
	sink     kernelclient.Sink
	count    int // of executions; touched by Run and Restart only, guarded by mu

	life context.Context // ends with Close
	end  context.CancelFunc
	wg   sync.WaitGroup // cancellations that nobody waits for

	mu      sync.Mutex // guards all below
	running *run
	left    string // a job that nobody waits for any longer
	ahead   ahead  // what runs before its turn
	past    past   // what later cells get of earlier ones
}

// run is one execution under way.
type run struct {
	kernelclient.Request
	program Program
	cancel  context.CancelCauseFunc
	job     string // its id, "" until it is known; driver.mu guards it
}

func newDriver(h *Host, info kernelclient.ContextInfo, start kernelclient.StartSpec) *driver {
	life, end := context.WithCancel(context.Background())
	d := &driver{
		client: h.client, language: info.Kernel.Language, settings: h.opt.Settings, env: map[string]string{},
		notes: jobLog{h.opt.JobLog}, context: info.ID, path: info.Path, life: life, end: end,
	}
	for _, kv := range start.Env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			d.env[k] = v
		}
	}
	return d
}

// KeepsTime implements kernelclient.Timekeeper: the service ends a job itself, counted from
// when it runs, which nobody here can see.
func (d *driver) KeepsTime() {}

// Open implements kernelclient.Driver. There is nothing to start.
func (d *driver) Open(_ context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	d.sink = sink
	return d.ready(), nil
}

func (d *driver) ready() kernelclient.Ready {
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Interrupt: true, Restart: true, Languages: true},
		Language:     languageInfo(d.language),
	}
}

// languageInfo is what a kernel_info_reply says of a language.
func languageInfo(language string) rawjson.Value {
	info := map[string]string{"name": language}
	for _, l := range extensions() {
		if l[0] == language {
			ext, _, _ := strings.Cut(l[1], " ")
			info["file_extension"] = "." + ext
		}
	}
	v, _ := encode(info) // text can always be encoded
	return v
}

// Run implements kernelclient.Driver.
func (d *driver) Run(ctx context.Context, r kernelclient.Request) (out kernelclient.Outcome) {
	defer func() { d.after(r, out) }()
	before := d.claim(r.ID)
	x, ctx, err := d.begin(ctx, r)
	defer d.finish(x)
	d.sink.Emit("", event.State{State: event.Busy})
	defer d.sink.Emit("", event.State{State: event.Idle})
	if err != nil {
		return d.failed(ctx, x, err)
	}
	j, err := d.submit(ctx, x, before)
	if err != nil {
		return d.failed(ctx, x, err)
	}
	d.accepted(x, j)
	return d.wait(ctx, x, j)
}

// submit hands a program over, unless that was done before its turn. What was refused then
// may be taken now.
func (d *driver) submit(ctx context.Context, x *run, before *early) (Job, error) {
	if before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			return Job{}, context.Cause(ctx)
		}
		if before.err == nil {
			x.program = before.program
			return before.job, nil
		}
		if !isStatus(before.err, http.StatusTooManyRequests, http.StatusNotFound, http.StatusMethodNotAllowed) {
			return Job{}, before.err
		}
	}
	return d.client.Submit(ctx, x.program, Submission{Mode: d.settings.Submit, Say: d.say})
}

// begin makes the program of a request.
func (d *driver) begin(parent context.Context, r kernelclient.Request) (*run, context.Context, error) {
	ctx, cancel := context.WithCancelCause(parent)
	x := &run{Request: r, cancel: cancel}
	d.mu.Lock()
	d.running = x
	d.count++
	d.mu.Unlock()
	p, err := d.program(ctx, r)
	x.program = p
	return x, ctx, err
}

func (d *driver) finish(x *run) {
	x.cancel(nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = nil
	d.launch()
}

// program is what a request asks the service to run.
func (d *driver) program(ctx context.Context, r kernelclient.Request) (Program, error) {
	p := Program{
		Language: d.language, Code: r.Code, Env: d.env, Network: d.settings.Network, TTL: d.settings.TTL, VCPU: d.settings.VCPU,
		Artifacts: d.settings.Artifacts || len(d.settings.Carry) > 0,
	}
	if r.Timeout > 0 {
		p.TTL = (r.Timeout + time.Second - 1).Truncate(time.Second)
	}
	if r.Language != "" && r.Language != d.language {
		l, err := d.client.Languages(ctx)
		if err != nil {
			return p, err
		}
		if p.Language = l.Resolve(r.Language); p.Language == "" {
			return p, &kernelclient.Error{Kind: kernelclient.Invalid, What: noLanguage(r.Language, l).Error()}
		}
	}
	if strings.TrimSpace(p.Code) == "" {
		p.Code = "\n" // the service wants a program
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.past.apply(p, d.settings), nil
}

// say tells what a run waits for.
func (d *driver) say(line string) {
	d.sink.Emit("", event.State{State: event.Busy, Detail: line})
}

// accepted notes that the service has a job, before its code runs.
func (d *driver) accepted(x *run, j Job) {
	d.mu.Lock()
	x.job = j.ID
	n := d.count
	d.mu.Unlock()
	d.notes.write(d.note(x, j))
	d.sink.Emit(x.ID, event.Started{Count: n})
}

// wait follows a job to its end.
func (d *driver) wait(ctx context.Context, x *run, j Job) kernelclient.Outcome {
	if !j.Over() {
		last := ""
		var err error
		j, err = d.client.Wait(ctx, j.ID, Waiting{TTL: x.program.TTL, Each: func(j Job) {
			if j.Status != last && !j.Over() {
				last = j.Status
				d.say("the job is " + excerpt([]byte(j.Status)) + "; its output comes when it ends")
			}
		}})
		if err != nil {
			return d.failed(ctx, x, err)
		}
	}
	return d.conclude(x, j)
}

// conclude puts out what a job gave.
func (d *driver) conclude(x *run, j Job) kernelclient.Outcome {
	d.notes.write(d.note(x, j))
	d.mu.Lock()
	j = d.past.take(x, j, d.settings)
	n := d.count
	d.mu.Unlock()
	out := report(d.sink, x.ID, x.program, j)
	out.Count = n
	return out
}

// failed is the end of a run that has no result.
func (d *driver) failed(ctx context.Context, x *run, err error) kernelclient.Outcome {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupted):
		return d.interrupted(x)
	case errors.Is(cause, errRestarted):
		return kernelclient.Outcome{Reason: event.Restarted, Detail: "restarted while it ran" + d.abandon(x)}
	case ctx.Err() != nil:
		d.mu.Lock()
		d.left = x.job
		d.mu.Unlock()
		return kernelclient.Outcome{Reason: event.Lost, Detail: "nobody waited for it any longer"}
	}
	var late *kernelclient.TimeoutError
	switch {
	case errors.As(err, &late):
		return kernelclient.Outcome{Reason: event.TimedOut, Detail: late.Why()}
	case errors.Is(err, kernelclient.Invalid):
		d.sink.Emit(x.ID, event.Error{Name: "Refused", Value: err.Error()})
		return kernelclient.Outcome{Reason: event.Failed}
	}
	return kernelclient.Outcome{Reason: event.Lost, Detail: err.Error()}
}

// Resume implements kernelclient.Resumer: a job that an earlier process handed over is found
// in the job log.
func (d *driver) Resume(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	n, found := d.notes.find(string(d.context), string(r.ID))
	if !found {
		return kernelclient.Outcome{Reason: event.Lost, Detail: "the process that waited for it ended, and its job is not known"}
	}
	x, ctx, err := d.begin(ctx, r)
	defer d.finish(x)
	d.sink.Emit("", event.State{State: event.Busy})
	defer d.sink.Emit("", event.State{State: event.Idle})
	if err != nil {
		return d.failed(ctx, x, err)
	}
	d.mu.Lock()
	x.job = n.Job
	d.mu.Unlock()
	return d.wait(ctx, x, Job{ID: n.Job, Status: "pending"})
}

// jobOf is the id of a run's job, "" if it has none that is known.
func (d *driver) jobOf(x *run) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return x.job
}

// interrupted cancels the job of a run and says what became of it: a job that was about to
// end may end well.
func (d *driver) interrupted(x *run) kernelclient.Outcome {
	out := kernelclient.Outcome{Reason: event.Interrupted, Detail: "interrupted (remote: unknown): the run may go on there"}
	id := d.jobOf(x)
	if id == "" {
		return out
	}
	ctx, cancel := context.WithTimeout(d.life, cancelEffort)
	defer cancel()
	j, err := d.client.Cancel(ctx, id)
	if err != nil || !j.Over() {
		out.Detail = fmt.Sprintf("interrupted (remote: unknown): job %s may go on there", id)
		return out
	}
	ended := d.conclude(x, j)
	if j.Status != Cancelled {
		return ended // it was quicker
	}
	out.Count = ended.Count
	out.Detail = "interrupted (remote: cancelled)"
	return out
}

// abandon cancels the job of a run that nobody waits for, and says which it was.
func (d *driver) abandon(x *run) string {
	id := d.jobOf(x)
	if id == "" {
		return ""
	}
	d.wg.Go(func() { d.cancelJob(id) })
	return " (job " + id + " was cancelled)"
}

func (d *driver) cancelJob(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelEffort)
	defer cancel()
	_, _ = d.client.Cancel(ctx, id) // the service ends it in any case, by its ttl
}

// interruptWait ends the wait of what runs.
func (d *driver) interruptWait(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running != nil {
		d.running.cancel(why)
	}
}

// Interrupt implements kernelclient.Driver.
func (d *driver) Interrupt(context.Context) error {
	d.mu.Lock()
	group := ""
	if d.running != nil {
		group = d.running.Group
	}
	d.mu.Unlock()
	d.drop(func(r kernelclient.Request) bool { return group != "" && r.Group == group })
	d.interruptWait(errInterrupted)
	return nil
}

// Answer implements kernelclient.Driver: nothing is ever asked.
func (d *driver) Answer(context.Context, event.InputID, string) error {
	return kernelclient.ErrAnswered
}

// Restart implements kernelclient.Driver: it forgets what earlier cells left.
func (d *driver) Restart(context.Context) (kernelclient.Ready, error) {
	d.drop(func(kernelclient.Request) bool { return true })
	d.interruptWait(errRestarted)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count, d.past = 0, past{}
	return d.ready(), nil
}

// Close implements kernelclient.Driver. With stop it cancels what runs.
func (d *driver) Close(_ context.Context, stop bool) error {
	if stop {
		d.drop(func(kernelclient.Request) bool { return true })
	}
	d.end()
	d.mu.Lock()
	id := d.left
	if d.running != nil {
		id = d.running.job
	}
	d.mu.Unlock()
	if stop && id != "" {
		d.cancelJob(id)
	}
	d.wg.Wait()
	return nil
}
