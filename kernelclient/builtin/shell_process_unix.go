//go:build unix

package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/isolate"
)

//go:embed shell/setup.sh
var shellSetup string

// shell is one process of a shell and what belongs to it.
//
// It runs as an interactive shell without a terminal that reads its commands from a pipe:
// only such a one gives up a whole cell at a SIGINT and lives on, and stays alive where an
// expansion fails. A cell is a file that it sources with standard input and error of its own.
type shell struct {
	d        *shellDriver
	cmd      *exec.Cmd
	pid      int  // leads the group
	boxed    bool // it is cmd's child then, and the shell one of its own
	bash     bool
	dir      string   // holds the cells, only for this user
	control  *os.File // the shell's commands
	answers  *os.File // what read reads
	life     *os.File // never written to: its end tells the shell that this process is gone
	wakeEnd  *os.File // closed when the process was reaped
	listener *shellListener

	ready     chan struct{} // closed when it takes cells
	died      chan struct{} // closed when the process was reaped
	over      chan struct{} // closed when all that it wrote has been taken, after died
	concluded chan struct{} // closed by conclude
	once      sync.Once     // of freeing

	mu      sync.Mutex // guards all below
	current *shellRun
	last    event.ExecID         // whose output it is that comes
	cells   int                  // begun, silent ones too
	count   int                  // of those that count
	end     kernelclient.Outcome // set before concluded is closed
	words   strings.Builder      // what it wrote before it was ready
	asked   int                  // questions for its folder
	folders map[int]chan string  // of those that wait for the answer
	exit    kernelclient.Death
}

// startShell starts a process. It can be used once ready is closed.
func startShell(d *shellDriver) (*shell, error) {
	dir, err := os.MkdirTemp("", "nbterm-shell-")
	if err != nil {
		return nil, fmt.Errorf("the shell's folder for cells: %w", err)
	}
	sh := &shell{
		d: d, dir: dir, folders: map[int]chan string{}, bash: strings.HasPrefix(filepath.Base(d.opt.Shell), "bash"),
		ready: make(chan struct{}), died: make(chan struct{}), over: make(chan struct{}), concluded: make(chan struct{}),
	}
	if err := sh.launch(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	go sh.reap()            // ends with the process
	go sh.listener.listen() // ends after it
	// A shell that ended before it read tells more by how it ended than the broken pipe does.
	if _, err := sh.control.WriteString(sh.setup()); err != nil && !errors.Is(err, syscall.EPIPE) {
		sh.kill()
		return nil, fmt.Errorf("the shell did not take its commands: %w", err)
	}
	return sh, nil
}

// launch makes the pipes and starts the process on them.
func (sh *shell) launch() error {
	p := &piper{}
	defer p.closeTheirs()
	stdin, control := p.toChild()
	input, none := p.toChild()
	answersIn, answers := p.toChild()
	lifeIn, life := p.toChild()
	out, stdout := p.fromChild()
	errs, stderr := p.fromChild()
	reports, reportsIn := p.fromChild()
	wake, wakeEnd := p.own()
	if p.err != nil {
		p.closeOurs()
		return fmt.Errorf("the shell's pipes: %w", p.err)
	}
	_ = none.Close() // cells read the end of the input
	cmd := exec.Command(sh.d.opt.Shell, sh.args()...)
	cmd.Dir, cmd.Env = sh.d.opt.Dir, sh.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.ExtraFiles = []*os.File{input, reportsIn, answersIn, lifeIn} // 3, 4, 5, 6
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}             // a Ctrl-C in the terminal is not for it
	pid, err := sh.d.opt.Box.Start(cmd, sh.dir)
	if err != nil {
		p.closeOurs()
		return shellStartError(sh.d.opt, err)
	}
	sh.cmd, sh.pid, sh.boxed = cmd, pid, sh.d.opt.Box.On()
	sh.control, sh.answers, sh.life, sh.wakeEnd = control, answers, life, wakeEnd
	sh.listener = &shellListener{
		sh: sh, reports: newRawFile(reports), wake: wake,
		out: &shellStream{name: "stdout", file: newRawFile(out), open: true},
		err: &shellStream{name: "stderr", file: newRawFile(errs), open: true},
	}
	return nil
}

// piper makes pipes and keeps account of their ends.
type piper struct {
	ours, theirs []*os.File
	err          error
}

func (p *piper) pipe() (r, w *os.File) {
	if p.err == nil {
		r, w, p.err = os.Pipe()
	}
	return r, w
}

func (p *piper) toChild() (theirs, ours *os.File) {
	r, w := p.pipe()
	p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
	return r, w
}

func (p *piper) fromChild() (ours, theirs *os.File) {
	r, w := p.pipe()
	p.theirs, p.ours = append(p.theirs, w), append(p.ours, r)
	return r, w
}

func (p *piper) own() (r, w *os.File) {
	r, w = p.pipe()
	p.ours = append(p.ours, r, w)
	return r, w
}

func (p *piper) closeTheirs() { closeAll(p.theirs) }
func (p *piper) closeOurs()   { closeAll(p.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

func shellStartError(opt ShellOptions, err error) error {
	if _, dirErr := os.Stat(opt.Dir); opt.Dir != "" && dirErr != nil {
		return &kernelclient.Error{Kind: kernelclient.NotFound, What: "the kernel's working folder is not there", Err: dirErr}
	}
	return &kernelclient.Error{Kind: kernelclient.NotFound, What: "the shell could not be started", Err: err, Next: "install bash, or choose another kernel"}
}

func (sh *shell) args() []string {
	if sh.bash {
		return []string{"--norc", "--noprofile", "--noediting", "-i"}
	}
	return []string{"-i"}
}

// environ takes out what makes an interactive shell do more than its cells ask for. With a
// history file that is unset, bash would shorten the user's own.
func (sh *shell) environ() []string {
	env := sh.d.opt.Env
	if env == nil {
		env = os.Environ()
	}
	var out []string
	for _, kv := range env {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "HISTFILE", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "TMOUT", "ENV", "MAIL", "MAILPATH", "MAILCHECK":
		default:
			out = append(out, kv)
		}
	}
	return append(out, "HISTFILE=")
}

// shellNumbers are the descriptors that the shell's end of our pipes gets.
type shellNumbers struct{ in, out, answers, err string }

// numbers leaves scripts what they use: bash takes high ones, other shells know but one digit.
func (sh *shell) numbers() shellNumbers {
	if sh.bash {
		return shellNumbers{in: "197", out: "198", answers: "199", err: "196"}
	}
	return shellNumbers{in: "7", out: "8", answers: "6", err: "9"}
}

// setup is what the shell reads first.
func (sh *shell) setup() string {
	script := shellSetup
	if sh.bash {
		script += "set +H; set +o history; history -c; shopt -s expand_aliases\n"
	}
	script += "printf 'ready\\0' >&@OUT@\n"
	n := sh.numbers()
	return strings.NewReplacer("@IN@", n.in, "@OUT@", n.out, "@ANSWERS@", n.answers, "@ERR@", n.err).Replace(script)
}

// reap waits for the process's end and takes its group along, which cannot be another's
// before the process is reaped.
func (sh *shell) reap() {
	seen := awaitExit(sh.cmd.Process.Pid) // where the system cannot, Wait is what waits
	if !seen {
		_ = sh.cmd.Wait() // the state says all that the error would
	}
	if !sh.boxed { // a box has ended with its first process
		_ = sh.signal(syscall.SIGKILL)
	}
	if seen {
		_ = sh.cmd.Wait()
	}
	sh.mu.Lock()
	signal, code := isolate.Ended(sh.cmd.ProcessState, sh.boxed)
	sh.exit.Signal, sh.exit.Code = unix.SignalName(signal), code
	sh.mu.Unlock()
	close(sh.died)
	_ = sh.wakeEnd.Close()
}

// signal reaches the shell and its children.
func (sh *shell) signal(s syscall.Signal) error { return syscall.Kill(-sh.pid, s) }

// stop ends the shell: by the end of its input and a hang-up while ctx lasts, by force after.
func (sh *shell) stop(ctx context.Context) {
	if ctx.Err() == nil {
		_ = sh.control.Close()
		if sh.isBusy() {
			sh.signalAlive(syscall.SIGHUP)
		}
		select {
		case <-sh.over:
		case <-ctx.Done():
		}
	}
	sh.kill()
}

// signalAlive signals the group unless the process was reaped.
func (sh *shell) signalAlive(s syscall.Signal) {
	select {
	case <-sh.died:
	default:
		_ = sh.signal(s)
	}
}

// kill ends the shell, waits until nothing of it is left, and frees what it held.
func (sh *shell) kill() {
	sh.signalAlive(syscall.SIGKILL)
	<-sh.over
	sh.once.Do(func() {
		_, _, _ = sh.control.Close(), sh.answers.Close(), sh.life.Close()
		_ = os.RemoveAll(sh.dir)
	})
}

// verdict says how the process ended that never took a cell.
func (sh *shell) verdict() error {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	death := sh.exit
	death.Last = strings.TrimSpace(sh.words.String())
	return &death
}
