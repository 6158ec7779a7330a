package unsandbox

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// report puts out what a job gave: first stdout, then stderr, as their order is lost, then
// its files, then why it failed.
func report(sink kernelclient.Sink, exec event.ExecID, p Program, j Job) kernelclient.Outcome {
	stderr, failure := j.Stderr, j.failure()
	if failure != nil && p.Language == "python" && failure.Name == exitCode {
		stderr, failure = traceback(stderr, failure)
	}
	if note := cmp.Or(j.note, p.note()); note != "" {
		sink.Emit(exec, event.Gap{Detail: note})
	}
	if j.Stdout != "" {
		sink.Emit(exec, event.Stream{Name: "stdout", Text: j.Stdout})
	}
	if stderr != "" {
		sink.Emit(exec, event.Stream{Name: "stderr", Text: stderr})
	}
	for _, a := range j.Artifacts {
		sink.Emit(exec, event.Display{Data: a.bundle()})
	}
	if failure != nil {
		sink.Emit(exec, *failure)
	}
	switch {
	case j.Status == TimedOut:
		return kernelclient.Outcome{
			Reason: event.TimedOut,
			Detail: fmt.Sprintf("the job took longer than %s; --timeout raises the limit, up to %s", p.limit(), MaxTTL),
		}
	case j.Status == Cancelled:
		return kernelclient.Outcome{Reason: event.Interrupted, Detail: "the job was cancelled at Unsandbox"}
	case failure != nil:
		return kernelclient.Outcome{Reason: event.Failed}
	}
	return kernelclient.Outcome{Reason: event.Done}
}

// exitCode is the name of the error of a program that said no more than its exit code.
const exitCode = "ExitCode"

// failure is why a job did not end well, nil if it did.
func (j Job) failure() *event.Error {
	switch {
	case j.OK():
		return nil
	case j.Status == TimedOut:
		return &event.Error{Name: "Timeout", Value: "the job's time was over"}
	case j.Status == Cancelled:
		return &event.Error{Name: "Cancelled", Value: "the job was cancelled"}
	case j.HasExit && j.Exit != 0 && j.Err == "":
		return &event.Error{Name: exitCode, Value: strconv.Itoa(j.Exit)}
	case j.HasExit && j.Exit != 0:
		return &event.Error{Name: exitCode, Value: fmt.Sprintf("%d: %s", j.Exit, j.Err)}
	case j.Err != "":
		return &event.Error{Name: "Failed", Value: j.Err}
	}
	return &event.Error{Name: "Failed", Value: "the service says no more than that it failed"}
}

// traceback takes a Python exception off the end of stderr, so that it is shown as an error
// and not twice.
func traceback(stderr string, failure *event.Error) (rest string, err *event.Error) {
	text := strings.TrimRight(stderr, "\n")
	at := strings.LastIndexByte(text, '\n') + 1
	m := regexp.MustCompile(`^([A-Za-z_][\w.]*)(?:: (.*))?$`).FindStringSubmatch(text[at:])
	if m == nil {
		return stderr, failure
	}
	begin := lastLine(text, "Traceback (most recent call last):")
	if begin < 0 && strings.HasSuffix(m[1], "Error") {
		begin = lastLine(text, `  File "`) // a SyntaxError of the program itself
	}
	if begin < 0 {
		return stderr, failure
	}
	return text[:begin], &event.Error{Name: m[1], Value: m[2], Traceback: strings.Split(text[begin:], "\n")}
}

// lastLine is where the last line that begins so begins, -1 if there is none.
func lastLine(text, prefix string) int {
	if at := strings.LastIndex(text, "\n"+prefix); at >= 0 {
		return at + 1
	}
	if strings.HasPrefix(text, prefix) {
		return 0
	}
	return -1
}
