package unsandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// How a program is handed over.
const (
	SubmitAuto  = "auto"  // async where the service has it
	SubmitAsync = "async" // the job's id comes before the code runs, so that it can be cancelled
	SubmitSync  = "sync"
)

// patience is how long a submission waits for a slot of the account: the longest job that
// runs now has ended by then.
const patience = MaxTTL

// maxRated is how often a submission is made again that came too soon after others.
const maxRated = 3

// Submission says how a program is handed over.
type Submission struct {
	Mode string           // "" is SubmitAuto
	Say  func(say string) // is told what it waits for; may be nil
}

// Submit hands a program over and returns the job as far as it is then: over, or with an id
// to wait for. It is sent once: what may have reached the server is never sent again, as
// code would run twice. Only a refusal for now (429) and a connection that could not be
// made are tried again.
func (c *Client) Submit(ctx context.Context, p Program, s Submission) (Job, error) {
	if err := p.check(); err != nil {
		return Job{}, err
	}
	body, err := p.body()
	if err != nil {
		return Job{}, err
	}
	if s.Mode != SubmitSync && !c.noAsync.Load() {
		j, err := c.submit(ctx, call{method: http.MethodPost, path: "/execute/async", body: body, limit: limitSubmit}, s)
		if s.Mode == SubmitAsync || !isStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed) {
			return j, err
		}
		c.noAsync.Store(true) // this service does not have it: that is not asked again
	}
	// It may answer only when the program is over.
	return c.submit(ctx, call{method: http.MethodPost, path: "/execute", body: body, limit: p.limit() + 30*time.Second}, s)
}

func (c *Client) submit(ctx context.Context, r call, s Submission) (Job, error) {
	a, err := c.submitted(ctx, r, s)
	if err != nil {
		return Job{}, err
	}
	j, err := readJob(a.body)
	if err != nil {
		return Job{}, notUnderstood(r.path, err)
	}
	if !j.Over() && j.ID == "" {
		return Job{}, &kernelclient.Error{Kind: kernelclient.Protocol, What: "no job_id in response of Unsandbox to " + r.path}
	}
	return j, nil
}

// submitted makes the request, again while the service refuses it for now.
func (c *Client) submitted(ctx context.Context, r call, s Submission) (answer, error) {
	retry := retries{began: c.now()}
	for pause := 2 * time.Second; ; pause = min(2*pause, 8*time.Second) {
		a, err := c.do(ctx, r)
		if err == nil || ctx.Err() != nil || !retry.worth(err, c.now(), s) {
			return a, err
		}
		if err := c.wait(ctx, max(pause, retry.after)); err != nil {
			return a, err
		}
	}
}

// retries counts why one submission was made again.
type retries struct {
	began   time.Time
	reached bool          // a connection was tried twice
	rated   int           // refusals for the rate
	after   time.Duration // what the last refusal asked for
}

// worth tells whether a submission is to be made again, and says what it waits for.
func (r *retries) worth(err error, now time.Time, s Submission) bool {
	var e *APIError
	switch {
	case !errors.As(err, &e):
		again := unsent(err) && !r.reached
		r.reached = true
		return again
	case e.Status != http.StatusTooManyRequests:
		return false
	case e.Code == codeConcurrency:
		s.say(fmt.Sprintf("%d of %d executions of the account are active; waiting for one to end", e.Active, e.Limit))
		r.after = e.RetryAfter
		return now.Sub(r.began) < patience
	}
	if r.rated++; r.rated > maxRated {
		return false
	}
	s.say(fmt.Sprintf("Unsandbox takes no more requests for now; trying again (%d of %d)", r.rated, maxRated))
	r.after = e.RetryAfter
	return true
}

func (s Submission) say(line string) {
	if s.Say != nil {
		s.Say(line)
	}
}
