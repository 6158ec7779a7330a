package unsandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// The limits of a wait.
const (
	pollPause   = 2 * time.Second  // after an error
	maxFaults   = 30               // errors in a row
	maxMissing  = 5                // answers in a row that there is no such job: it may not be known yet
	afterTTL    = 60 * time.Second // a job may be late to say that its time is over
	cancelLimit = 5 * time.Second  // for the last state of a job that was cancelled
)

// delay is how long to wait before the nth poll, from 0.
func delay(n int) time.Duration {
	steps := []time.Duration{300, 450, 700, 900, 650, 1600, 2000}
	return steps[min(n, len(steps)-1)] * time.Millisecond
}

// JobLostError says that nobody knows any more what became of a job.
type JobLostError struct {
	JobID string
	err   *kernelclient.Error
}

func (e *JobLostError) Error() string { return e.err.Error() }

// Unwrap returns the kernelclient.Error: Disconnect, NotFound or a limit that ran out.
func (e *JobLostError) Unwrap() error { return e.err }

func lost(id string, kind kernelclient.Kind, what string, cause error) error {
	return &JobLostError{id, &kernelclient.Error{
		Kind: kind, What: fmt.Sprintf("%s (job %s)", what, id),
		Next: fmt.Sprintf("`nbterm unsandbox job %s` asks again", id), Err: cause,
	}}
}

// Waiting says how a job is waited for.
type Waiting struct {
	TTL  time.Duration // of the job: a minute beyond it, counted from when it runs, the wait is over; 0 is 60 s
	Each func(Job)     // is told of each answer; may be nil
}

// Wait polls a job until it is over. Errors on the way are outlasted where they can be. The
// error of a job that cannot be followed any longer is a *JobLostError with its id; when the
// time is over it is cancelled.
func (c *Client) Wait(ctx context.Context, id string, w Waiting) (Job, error) {
	p := poller{c: c, id: id, w: w}
	for n := 0; ; n++ {
		pause := delay(n)
		if p.faults > 0 || p.missing > 0 {
			pause = max(pollPause, p.after)
		}
		if err := c.wait(ctx, pause); err != nil {
			return Job{}, err
		}
		j, over, err := p.poll(ctx)
		if over || err != nil {
			return j, err
		}
		if p.tooLate() {
			return c.giveUp(ctx, id)
		}
	}
}

// poller is one wait.
type poller struct {
	c       *Client
	id      string
	w       Waiting
	running time.Time     // when it was first said to run
	faults  int           // errors in a row
	missing int           // "no such job" in a row
	broken  bool          // the server had trouble in this wait
	after   time.Duration // what a 429 asked for
}

// poll asks once. Without an error and not over, there is to be another time.
func (p *poller) poll(ctx context.Context) (j Job, over bool, err error) {
	j, err = p.c.Job(ctx, p.id)
	p.after = 0
	if err != nil {
		return j, false, p.fault(ctx, err)
	}
	p.faults, p.missing = 0, 0
	if p.w.Each != nil {
		p.w.Each(j)
	}
	if p.running.IsZero() && j.Status != "pending" && j.Status != "queued" {
		p.running = p.c.now()
	}
	return j, j.Over(), nil
}

// fault judges an error: nil if the wait goes on.
func (p *poller) fault(ctx context.Context, err error) error {
	var e *APIError
	if !errors.As(err, &e) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, kernelclient.Unauthenticated) || errors.Is(err, kernelclient.Invalid) {
			return err // there are no keys
		}
		return p.count(err)
	}
	switch {
	case e.Status >= 500:
		p.broken = true
		return p.count(err)
	case e.Status == http.StatusTooManyRequests:
		p.after = e.RetryAfter
		return p.count(err)
	case e.Status == http.StatusNotFound && p.broken:
		return lost(p.id, kernelclient.NotFound, "job state lost, the command may have completed: the service was restarted", nil)
	case e.Status == http.StatusNotFound:
		if p.missing++; p.missing > maxMissing {
			return lost(p.id, kernelclient.NotFound, "the job is not found", nil)
		}
		return nil
	}
	return err
}

// count is an error that may pass.
func (p *poller) count(err error) error {
	if p.faults++; p.faults >= maxFaults {
		return lost(p.id, kernelclient.Disconnect, fmt.Sprintf("gave up after %d errors in a row; the job may still be running", p.faults), err)
	}
	return nil
}

// tooLate tells whether a job that runs should have ended.
func (p *poller) tooLate() bool {
	limit := p.w.TTL
	if limit == 0 {
		limit = defaultTTL
	}
	return !p.running.IsZero() && p.c.now().Sub(p.running) > limit+afterTTL
}

// giveUp cancels a job that is long over its time.
func (c *Client) giveUp(ctx context.Context, id string) (Job, error) {
	j, err := c.Cancel(ctx, id)
	if err == nil && j.Over() && j.Status != Cancelled {
		return j, nil
	}
	return j, lost(id, kernelclient.NoAnswer, "gave up waiting; the job may still be running", nil)
}

// Job asks for one job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	a, err := c.do(ctx, call{method: http.MethodGet, path: "/jobs/" + url.PathEscape(id)})
	if isStatus(err, http.StatusNotFound) {
		err = &kernelclient.Error{
			Kind: kernelclient.NotFound, What: fmt.Sprintf("Unsandbox has no job %q, or no longer", id),
			Next: "`nbterm unsandbox jobs` lists them", Err: err,
		}
	}
	if err != nil {
		return Job{}, err
	}
	j, err := readJob(a.body)
	if err != nil {
		return Job{}, notUnderstood("/jobs/"+id, err)
	}
	if j.ID == "" {
		j.ID = id
	}
	return j, nil
}

// Cancel asks the service to end a job and waits, for some seconds, for the last state: a
// job that was about to end may end well. The state is not over() if it was not seen. A job
// that had ended is fetched.
func (c *Client) Cancel(ctx context.Context, id string) (Job, error) {
	a, err := c.do(ctx, call{method: http.MethodDelete, path: "/jobs/" + url.PathEscape(id)})
	switch {
	case isStatus(err, http.StatusNotFound):
		j, err := c.Job(ctx, id)
		if isStatus(err, http.StatusNotFound) {
			return j, lost(id, kernelclient.NotFound, "the service does not know the job: it has ended, and its output is gone", nil)
		}
		return j, err
	case err != nil:
		return Job{ID: id}, err
	}
	j := Job{ID: id}
	if len(a.body) > 0 {
		if j, err = readJob(a.body); err != nil {
			j = Job{ID: id}
		}
		if j.Status == "" && j.failed {
			j.Status = Cancelled
		}
	}
	if j.Status == Cancelled || j.Over() && j.Status != "" {
		return j, nil
	}
	return c.lastState(ctx, id), nil
}

// lastState polls a cancelled job for some seconds.
func (c *Client) lastState(ctx context.Context, id string) Job {
	until := c.now().Add(cancelLimit)
	for n := 0; c.now().Before(until); n++ {
		if c.wait(ctx, delay(n)) != nil {
			break
		}
		if j, err := c.Job(ctx, id); err == nil && j.Over() {
			return j
		}
	}
	return Job{ID: id}
}

// Jobs lists what is active.
func (c *Client) Jobs(ctx context.Context) ([]Job, error) {
	a, err := c.idempotent(ctx, call{method: http.MethodGet, path: "/jobs"})
	if err != nil {
		return nil, err
	}
	items, err := list(a.body, "jobs")
	if err != nil {
		return nil, notUnderstood("/jobs", err)
	}
	var out []Job
	for _, o := range items {
		out = append(out, jobOf(o))
	}
	return out, nil
}
