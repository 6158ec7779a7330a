package unsandbox

import (
	"encoding/json"
	"strings"
	"time"
)

// The states of a job that are the last ones.
const (
	Completed = "completed"
	Failed    = "failed"
	TimedOut  = "timeout"
	Cancelled = "cancelled"
)

// Job is what the service says of one run. Text that is no UTF-8 came with replacement characters.
type Job struct {
	ID        string
	Status    string // in lower case; "" where the service says none
	Language  string
	Network   string
	Stdout    string
	Stderr    string
	Exit      int
	HasExit   bool // Exit was said
	Err       string
	Elapsed   time.Duration
	Created   time.Time
	Started   time.Time
	Artifacts []Artifact

	note   string // of ours, about the result
	failed bool   // "success" is false
	result bool   // it has fields of a result
}

// readJob reads the answer of /execute, /jobs/ID or a cancellation.
func readJob(body []byte) (Job, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return Job{}, err
	}
	return jobOf(o), nil
}

func jobOf(o object) Job {
	j := Job{
		ID: o.str("job_id", "id"), Status: strings.ToLower(o.str("status")),
		Language: o.str("language", "detected_language"), Network: o.str("network_mode"),
		Created: o.when("created_at", "submitted_at"), Started: o.when("started_at"),
	}
	from := o
	if in := o.inner("result"); in != nil { // an older form
		from = object{}
		for k, v := range in {
			from[k] = v
		}
		for k, v := range o {
			from[k] = v
		}
	}
	j.Stdout, j.Stderr = from.str("stdout", "output"), from.str("stderr")
	j.Err = textOrMessage(from.first("error"))
	if v := from.first("exit_code"); v != nil {
		if f, ok := number(v); ok {
			j.Exit, j.HasExit = int(f), true
		}
	}
	if v := from.first("success"); v != nil {
		j.failed = string(v) == "false"
	}
	for _, name := range []string{"stdout", "stderr", "exit_code", "success", "error"} {
		j.result = j.result || from.first(name) != nil
	}
	j.Elapsed = elapsed(from)
	j.Artifacts = artifactsOf(from)
	return j
}

// textOrMessage reads an error: text, or an object with a message.
func textOrMessage(v json.RawMessage) string {
	var o object
	if json.Unmarshal(v, &o) == nil {
		return o.str("message", "error", "code")
	}
	return text(v)
}

func elapsed(o object) time.Duration {
	if f, ok := number(o.first("total_time_ms", "duration_ms", "runtime_ms", "execution_time_ms")); ok {
		return time.Duration(f * float64(time.Millisecond))
	}
	if f, ok := number(o.first("execution_time")); ok {
		return time.Duration(f * float64(time.Second))
	}
	return 0
}

// Over tells whether nothing more will come.
func (j Job) Over() bool {
	switch j.Status {
	case Completed, Failed, TimedOut, Cancelled:
		return true
	case "":
		return j.result
	}
	return false // pending, running, queued, and whatever is new
}

// OK tells whether the program ended well. The exit code counts before the status: a
// program that failed may be "completed".
func (j Job) OK() bool {
	if j.Status == TimedOut || j.Status == Cancelled {
		return false
	}
	if j.HasExit {
		return j.Exit == 0
	}
	return j.Status != Failed && !j.failed && j.Err == ""
}

// Why says in a word why a job did not end well, "" if it did.
func (j Job) Why() string {
	f := j.failure()
	switch {
	case f == nil:
		return ""
	case f.Name == exitCode:
		return "exit code " + f.Value
	}
	return f.Value
}
