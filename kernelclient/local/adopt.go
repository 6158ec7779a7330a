package local

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/kernelclient/leftover"
)

// Adopt implements kernelclient.Adopter, for kernels that were started with Options.Outlive.
func (h *Host) Adopt(ctx context.Context, a kernelclient.Adoption) (kernelclient.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start := a.Start
	start.Kernel = a.Info.Kernel.Name
	s, err := pick(search(h.env(), h.dir(start.Dir)), start.Kernel)
	if err != nil { // only a restart needs it
		s = spec{name: start.Kernel, broken: err.Error()}
	}
	if isBuiltin(start.Kernel) {
		a.Log.Gone = &kernelclient.Error{Kind: kernelclient.Killed, What: "the built-in kernel ended with the process that hosted it"}
		return h.openLog(a.Info, h.driver(a.Info.ID, s, start), a.Log), nil
	}
	l := h.external(a.Info.ID, s, start)
	found, gone := l.find(a.Info)
	a.Log.Gone = gone
	opt := h.driverOptions(a.Info.ID, start)
	var launch jupyter.Launcher = l
	if gone == nil {
		a.Log.StartupTimeout = 0 // one that is stopped, or busy and of few words, is still worth having
		opt.Adopt, opt.Resumed = true, jupyter.UnderWay(a.Log.History)
		launch = &adopter{launcher: l, found: found}
	}
	return h.openLog(a.Info, jupyter.NewDriver(sweeping{launch, h.env(), h.logs()}, opt), a.Log), nil
}

func isBuiltin(name string) bool {
	return slices.Contains([]string{kernelclient.BuiltinPython, kernelclient.BuiltinIPython, kernelclient.BuiltinShell}, name)
}

// found is a kernel that was left running.
type found struct {
	candidate
	pid   int
	start int64
}

// find looks for the kernel that info describes. gone says why it is none any more.
func (l *launcher) find(info kernelclient.ContextInfo) (f found, gone error) {
	now, alive := processStart(info.PID)
	if info.PID <= 0 || !alive || now != info.PIDStart {
		death := &kernelclient.Death{Unseen: true}
		if log, err := reopenLog(l.logOf(info.ConnFile)); err == nil {
			death.Last = log.lastWords()
			log.close(false)
		}
		l.clear(info.ConnFile)
		return f, death
	}
	c, err := readCandidate(info.ConnFile)
	if err != nil {
		return f, &kernelclient.Error{
			Kind: kernelclient.Gone, What: "the kernel is there but cannot be reached without its connection file", Err: err,
		}
	}
	return found{c, info.PID, now}, nil
}

// clear removes what a dead kernel of ours has left.
func (l *launcher) clear(connection string) {
	if !strings.HasPrefix(filepath.Base(connection), filesPrefix) {
		return
	}
	if c, err := readCandidate(connection); err == nil {
		if dir, ours := socketsOf(c.conn); ours {
			_ = os.RemoveAll(dir)
		}
	}
	_ = os.Remove(connection)
	_ = os.Remove(l.logOf(connection))
}

// logOf is the log that belongs to a connection file of ours.
func (l *launcher) logOf(connection string) string {
	return filepath.Join(l.logs, strings.TrimSuffix(filepath.Base(connection), connectionSuffix)+logSuffix)
}

// adopter is a jupyter.Launcher whose first kernel runs already.
type adopter struct {
	*launcher
	found found
	taken bool // the kernel was connected to
	fresh bool // the last launch started one
}

// Retries implements jupyter.Launcher. A kernel that cannot be taken over is not replaced
// unless somebody asks for that.
func (a *adopter) Retries() int {
	if !a.fresh {
		return 0
	}
	return a.launcher.Retries()
}

// Launch implements jupyter.Launcher.
func (a *adopter) Launch(ctx context.Context, retry int) (jupyter.Kernel, error) {
	if a.taken {
		a.fresh = true
		return a.launcher.Launch(ctx, retry)
	}
	a.taken = true
	return a.connect(ctx)
}

// connect takes the kernel over, with all that belongs to it.
func (a *adopter) connect(ctx context.Context) (jupyter.Kernel, error) {
	conn, err := jupyter.DialZMQ(ctx, a.found.conn, jupyter.ZMQOptions{Identity: a.identity})
	if err != nil {
		return nil, err
	}
	k := &kernel{
		conn: conn, connection: a.found.conn, file: a.found.file, byMessage: !canSignal || a.spec.file.InterruptMode == "message",
		fileClaim: leftover.Take(a.found.file),
	}
	if dir, ours := socketsOf(a.found.conn); ours {
		k.sockets, k.socketsClaim = dir, leftover.Take(dir)
	}
	path := a.logOf(a.found.file)
	if log, err := reopenLog(path); err == nil {
		k.log, log.held = log, leftover.Take(path)
	}
	k.process = watchProcess(a.found.pid, a.found.start, k.log)
	a.own(k)
	a.last = k.process
	return k, nil
}

// socketsOf is the folder of a kernel's ipc sockets, if it is one of ours.
func socketsOf(c jupyter.Connection) (dir string, ours bool) {
	dir = filepath.Dir(c.IP)
	return dir, c.Transport == "ipc" && filepath.Base(c.IP) == socketName && strings.HasPrefix(filepath.Base(dir), socketsPrefix)
}
