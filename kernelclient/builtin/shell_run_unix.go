//go:build unix

package builtin

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// shellRun is one cell under way.
type shellRun struct {
	id          event.ExecID
	n           int  // by which the shell's reports name it: how many cells there were, silent ones too
	silent      bool // neither counted nor told of
	began       chan struct{}
	ended       chan struct{}
	beganOnce   sync.Once
	endedOnce   sync.Once
	status      int // set before ended is closed
	interrupted atomic.Bool
	signalled   chan map[int]bool // who had got an interrupt
}

func (x *shellRun) begin() { x.beganOnce.Do(func() { close(x.began) }) }

func (x *shellRun) finish(status int) {
	x.endedOnce.Do(func() {
		x.status = status
		close(x.ended)
	})
}

func (sh *shell) isReady() bool {
	select {
	case <-sh.ready:
		return true
	default:
		return false
	}
}

// hasEnded tells whether the process is gone by itself.
func (sh *shell) hasEnded() bool {
	select {
	case <-sh.concluded:
		return sh.end.Reason != event.Restarted
	default:
		return false
	}
}

func (sh *shell) isBusy() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.current != nil
}

// conclude ends what runs with out. The first call counts.
func (sh *shell) conclude(out kernelclient.Outcome) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	select {
	case <-sh.concluded:
	default:
		sh.end = out
		close(sh.concluded)
	}
}

// run runs one cell to its end.
func (sh *shell) run(ctx context.Context, r kernelclient.Request) kernelclient.Outcome {
	sh.mu.Lock()
	sh.cells++
	if !r.Silent {
		sh.count++
	}
	count := sh.count
	x := &shellRun{id: r.ID, n: sh.cells, silent: r.Silent, began: make(chan struct{}), ended: make(chan struct{}), signalled: make(chan map[int]bool, 1)}
	sh.current, sh.last = x, r.ID
	sh.mu.Unlock()
	sh.d.sink.Emit("", event.State{State: event.Busy})
	if !r.Silent {
		sh.d.sink.Emit(r.ID, event.Started{Count: count})
	}
	out := sh.follow(ctx, x, r)
	if !r.Silent {
		out.Count = count
	}
	sh.d.closeQuestions(func(q shellQuestion) bool { return q.exec == r.ID })
	sh.mu.Lock()
	sh.current = nil
	sh.mu.Unlock()
	select {
	case <-sh.concluded:
	default:
		sh.d.sink.Emit("", event.State{State: event.Idle})
	}
	return out
}

// follow hands a cell to the shell and waits for its end. The second command goes out when
// the shell runs the first: some shells throw away what they have read when a cell fails.
func (sh *shell) follow(ctx context.Context, x *shellRun, r kernelclient.Request) kernelclient.Outcome {
	cell := filepath.Join(sh.dir, "cell-"+strconv.Itoa(x.n))
	defer func() { _ = os.Remove(cell) }()
	if err := os.WriteFile(cell, []byte(r.Code+"\n"), 0o600); err != nil {
		return sh.failed(x, event.Error{Name: "ShellError", Value: "the cell could not be handed to the shell: " + err.Error()})
	}
	if open := sh.unfinished(ctx, cell, r.Code); open != nil {
		return sh.failed(x, *open)
	}
	ask, n := "''", sh.numbers()
	if r.AllowStdin {
		ask = "1"
	}
	_, err := fmt.Fprintf(sh.control, "__nbterm_begin %d %s; . '%s' <&%s 2>&%s\n", x.n, ask, strings.ReplaceAll(cell, "'", `'\''`), n.in, n.err)
	if out, ok := sh.await(ctx, x.began, err); !ok {
		return out
	}
	err = sh.askEnd(x)
	if out, ok := sh.awaitEnd(ctx, x, err); !ok {
		return out
	}
	switch {
	case x.status == 0:
		return kernelclient.Outcome{Reason: event.Done}
	case x.interrupted.Load():
		sh.d.sink.Emit(x.id, exitStatus(x.status))
		return kernelclient.Outcome{Reason: event.Interrupted}
	}
	return sh.failed(x, exitStatus(x.status))
}

// askEnd makes the shell report the cell's end once it is there.
func (sh *shell) askEnd(x *shellRun) error {
	_, err := fmt.Fprintf(sh.control, "\n__nbterm_end %d \"$?\"\n", x.n)
	return err
}

// await waits for a step of a run; ok is false where the run is over otherwise. A shell
// that does not take its commands is about to end.
func (sh *shell) await(ctx context.Context, step <-chan struct{}, broken error) (out kernelclient.Outcome, ok bool) {
	if broken != nil {
		step = nil
	}
	select {
	case <-step:
		return out, true
	case <-sh.concluded:
		sh.mu.Lock()
		defer sh.mu.Unlock()
		return sh.end, false
	case <-ctx.Done():
		return kernelclient.Outcome{Reason: event.Lost, Detail: ctx.Err().Error()}, false
	}
}

func (sh *shell) failed(x *shellRun, e event.Error) kernelclient.Outcome {
	if e.Traceback == nil {
		e.Traceback = []string{"\x1b[31m" + e.Name + "\x1b[0m: " + e.Value}
	}
	if !x.silent {
		sh.d.sink.Emit(x.id, e)
	}
	return kernelclient.Outcome{Reason: event.Failed}
}

// exitStatus is the error of a cell that ended with a status other than 0.
func exitStatus(status int) event.Error {
	value := strconv.Itoa(status)
	return event.Error{Name: "ExitStatus", Value: value, Traceback: []string{"\x1b[31mExitStatus\x1b[0m: " + value}}
}

// unfinished finds what makes a cell end too early: an open quote, bracket or block, which
// some bash 5.2 reads in a way that ends it, and a here-document without an end, of which
// bash only warns before it takes the rest of the cell for its text. Other shells tell.
func (sh *shell) unfinished(ctx context.Context, cell, code string) *event.Error {
	if !sh.bash {
		return nil
	}
	cmd := exec.CommandContext(ctx, sh.d.opt.Shell, "-O", "extglob", "-n", cell)
	cmd.Env = append(sh.environ(), "LC_ALL=C", "BASH_ENV=")
	var said bytes.Buffer
	cmd.Stderr = &said
	_ = cmd.Run() // other errors are the shell's to tell
	text := strings.ReplaceAll(said.String(), cell, "bash")
	for _, m := range regexp.MustCompile("here-document at line ([0-9]+) delimited by end-of-file \\(wanted `(.*)'\\)").FindAllStringSubmatch(text, -1) {
		if !hasLine(code, m[2]) {
			return syntaxError(fmt.Sprintf("the here-document at line %s has no end: no line is %s", m[1], m[2]))
		}
	}
	m := regexp.MustCompile("line ([0-9]+): (?:syntax error: )?(unexpected EOF while looking for matching `.*'|unexpected end of file.*)").FindStringSubmatch(text)
	if m != nil {
		return syntaxError("line " + m[1] + ": " + m[2])
	}
	return nil
}

func syntaxError(what string) *event.Error { return &event.Error{Name: "SyntaxError", Value: what} }

// hasLine tells whether a line begins with word, be it behind tabs: bash also takes the
// end of "$(cat <<E" from a line like "E)".
func hasLine(code, word string) bool {
	for line := range strings.Lines(code) {
		if strings.HasPrefix(strings.TrimLeft(line, "\t "), word) {
			return true
		}
	}
	return false
}

// interrupt signals the cell that runs, once the shell has it: a shell that still reads a
// command would lose half of it. The report is asked for again, as it may be what was lost.
func (sh *shell) interrupt(ctx context.Context) error {
	sh.mu.Lock()
	x := sh.current
	sh.mu.Unlock()
	if x == nil {
		return nil
	}
	select {
	case <-x.began:
	case <-sh.concluded:
		return errNoShell()
	case <-ctx.Done():
		return ctx.Err()
	}
	x.interrupted.Store(true)
	sh.settle(x)
	had := sh.programs()
	sh.signalAlive(syscall.SIGINT)
	select {
	case x.signalled <- had:
	default: // an earlier interrupt is seen to
	}
	return sh.askEnd(x)
}

// lostSignals are the times between looks for an interrupt that was lost.
func lostSignals() []time.Duration {
	return []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, time.Second}
}

// settle waits, not long, for a moment in which the cell starts no program: a part of a
// pipeline that misses its signal then ends like one that was not interrupted.
func (sh *shell) settle(x *shellRun) {
	before := group(sh.pid)
	for range 8 {
		timer := time.NewTimer(3 * time.Millisecond)
		select {
		case <-timer.C:
		case <-x.ended:
			timer.Stop()
			return
		}
		now := group(sh.pid)
		if maps.Equal(before, now) {
			return
		}
		before = now
	}
}

// itself is the shell's process, which does not lead its group in a box.
func (sh *shell) itself() int {
	if sh.boxed {
		return firstChild(sh.pid)
	}
	return sh.pid
}

// programs lists the shell and the processes of its group that run another program. Others
// are copies of the shell, which may be about to run one and lose a signal until then.
func (sh *shell) programs() map[int]bool {
	all, itself := group(sh.pid), sh.itself()
	found := map[int]bool{sh.pid: true, itself: true}
	for pid, command := range all {
		if command != "" && command != all[itself] { // "" in the middle of a start
			found[pid] = true
		}
	}
	return found
}

// awaitEnd waits for a cell's end, and sees to it that an interrupt is not lost: a shell
// that was about to start a program notes the signal and then waits for the program, which
// never got it. So what is new in the group some time after gets one as well. Programs that
// ran have got theirs, and may be cleaning up.
func (sh *shell) awaitEnd(ctx context.Context, x *shellRun, broken error) (kernelclient.Outcome, bool) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	timer.Stop()
	var had map[int]bool
	var left []time.Duration
	for {
		select {
		case had = <-x.signalled:
			left = lostSignals()
			timer.Reset(left[0])
		case <-timer.C:
			ran := sh.programs()
			for pid := range group(sh.pid) {
				if !had[pid] {
					_ = syscall.Kill(pid, syscall.SIGINT) // it may have gone
				}
			}
			maps.Copy(had, ran)
			if left = left[1:]; len(left) > 0 {
				timer.Reset(left[0])
			}
		case <-x.ended:
			return kernelclient.Outcome{}, true
		case <-sh.concluded:
			return sh.await(ctx, nil, broken)
		case <-ctx.Done():
			return sh.await(ctx, nil, broken)
		}
	}
}
