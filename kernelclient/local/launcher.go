package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/isolate"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/kernelclient/leftover"
)

const (
	tcpTries = 3 // of one start: another program may take a port before the kernel binds it

	// bindTime is how long a kernel may take to make its ipc sockets before it is ended
	// and started with tcp. Some kernels cannot do ipc and do not say so.
	bindTime = 20 * time.Second
)

// launcher is a jupyter.Launcher for one context and its kernelspec.
type launcher struct {
	spec  spec
	start kernelclient.StartSpec
	env   environ // what the host was given, without the kernelspec's and the start's own
	all   []python
	logs  string // folder of the kernels' logs
	tcp   bool   // ipc is not wanted or did not work; with plain and last only used by Launch, one call at a time
	plain bool   // start every kernel exactly as its kernelspec says
	own   func(*kernel)
	last  *process

	outlive  bool
	box      *isolate.Box
	identity string // of the connections, "" for random ones
}

// Retries implements jupyter.Launcher: once from ipc to tcp, and for taken ports.
func (l *launcher) Retries() int { return tcpTries }

// Launch implements jupyter.Launcher.
func (l *launcher) Launch(ctx context.Context, retry int) (jupyter.Kernel, error) {
	if retry > 0 && l.tcp {
		if death := l.lastDeath(); death != nil && !portTaken(death) {
			return nil, death // again would be the same again
		}
	}
	l.tcp = l.tcp || retry > 0
	l.plain = l.plain || retry > 0
	if l.spec.broken != "" {
		return nil, &kernelclient.Error{
			Kind: kernelclient.NotFound, What: "the kernel " + l.spec.name + " cannot be started: " + l.spec.broken,
		}
	}
	k, err := l.launch(ctx)
	if err != nil {
		return nil, err
	}
	l.last = k.process
	l.own(k)
	return k, nil
}

func (l *launcher) lastDeath() *kernelclient.Death {
	if l.last == nil {
		return nil
	}
	select {
	case <-l.last.died:
		return l.last.death
	default:
		return nil
	}
}

func portTaken(d *kernelclient.Death) bool {
	last := strings.ToLower(d.Last)
	return strings.Contains(last, "address already in use") || strings.Contains(last, "eaddrinuse") ||
		strings.Contains(last, "address in use")
}

// launch starts a kernel over sockets of its own.
func (l *launcher) launch(ctx context.Context) (_ *kernel, err error) {
	id := newID()
	k := &kernel{byMessage: !canSignal || l.spec.file.InterruptMode == "message"}
	defer func() {
		if err != nil {
			k.free()
		}
	}()
	c, err := l.connection(k)
	if err != nil {
		return nil, err
	}
	runtimeDir := l.env.runtimeDir()
	if err := privateDir(runtimeDir); err != nil {
		return nil, noRoom(runtimeDir, err)
	}
	file := filepath.Join(runtimeDir, filesPrefix+id+connectionSuffix)
	claim, err := leftover.Make(file, c.WriteFile)
	if err != nil {
		return nil, noRoom(runtimeDir, err)
	}
	k.file, k.fileClaim, k.connection = file, claim, c
	if k.log, err = openLog(l.logs, id); err != nil {
		return nil, noRoom(l.logs, err)
	}
	path, argv, env, err := l.command(k.file)
	if err != nil {
		return nil, err
	}
	if k.process, err = l.run(k, path, argv, env); err != nil {
		return nil, err
	}
	if k.conn, err = jupyter.DialZMQ(ctx, c, jupyter.ZMQOptions{Identity: l.identity}); err != nil {
		return nil, errors.Join(err, k.process.kill())
	}
	if k.sockets != "" {
		k.watchdog = time.AfterFunc(bindTime, k.killUnbound)
	}
	return k, nil
}

// run starts the kernel's process, in its box if it has one.
func (l *launcher) run(k *kernel, path string, argv []string, env environ) (*process, error) {
	s := starting{box: l.box, outlive: l.outlive, needs: []string{k.file}}
	if k.sockets != "" {
		s.needs = append(s.needs, k.sockets)
	} else if l.box.Netless() {
		return nil, &kernelclient.Error{
			Kind: kernelclient.Unsupported, What: "the kernel " + l.spec.name + " can be reached over a network only, and it is to have none",
			Next: "leave it the network, or choose another kernel",
		}
	}
	if l.outlive {
		s.claims = k.claims()
	}
	return startProcess(path, argv, env, l.start.Dir, k.log, s)
}

// noRoom puts the error of a full disk into plain words.
func noRoom(dir string, err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return &kernelclient.Error{
		Kind: kernelclient.NoSpace, What: "there is no room for the kernel's files in " + dir, Next: "make room there", Err: plain(err),
	}
}

// connection chooses where the kernel is to listen.
func (l *launcher) connection(k *kernel) (jupyter.Connection, error) {
	c := jupyter.Connection{SignatureScheme: "hmac-sha256", Key: newKey(), KernelName: l.spec.fileName()}
	if !l.tcp {
		if dir, claim, ok := ipcDir(l.env); ok {
			k.sockets, k.socketsClaim = dir, claim
			c.Transport, c.IP = "ipc", filepath.Join(dir, socketName)
			c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort = 1, 2, 3, 4, 5
			return c, nil
		}
		l.tcp = true
	}
	ports, err := freePorts(5)
	if err != nil {
		return c, err
	}
	c.Transport, c.IP = "tcp", "127.0.0.1"
	c.ShellPort, c.IOPubPort, c.StdinPort, c.ControlPort, c.HBPort = ports[0], ports[1], ports[2], ports[3], ports[4]
	return c, nil
}

// command is what to start: kernel.json's argv and env filled in. The user's own --env
// wins over the kernelspec's.
func (l *launcher) command(file string) (path string, argv []string, env environ, err error) {
	path, err = l.spec.program(l.env, l.all)
	if err != nil {
		return "", nil, nil, err
	}
	prefix := l.spec.prefix
	if prefix == "" {
		prefix = pythonAt(path).prefix
	}
	values := map[string]string{"connection_file": file, "resource_dir": l.spec.dir, "prefix": prefix}
	argv = l.spec.file.Argv
	aided := false
	if !l.plain {
		argv, aided = withoutDrops(argv)
	}
	argv = fillArgv(argv, l.env, values)
	if aided { // its text is no place for placeholders
		argv[len(argv)-3] = noDrop
	}
	argv[0] = path
	env = l.env.without("PYTHONEXECUTABLE").with(l.spec.environment(l.env)...).with(l.start.Env...)
	if l.start.Session != "" {
		env = env.with("JPY_SESSION_NAME=" + l.start.Session)
	}
	if l.outlive {
		return path, argv, env.without("JPY_PARENT_PID"), nil // it may be that of a kernel above us
	}
	return path, argv, env.with("JPY_PARENT_PID=" + strconv.Itoa(os.Getpid())), nil
}

// kernel is a jupyter.Kernel that runs as a process of ours.
type kernel struct {
	process *process
	conn    jupyter.Conn

	connection jupyter.Connection
	log        *logFile
	file       string // connection file, "" for none
	sockets    string // folder of the ipc sockets, "" for tcp
	byMessage  bool   // interrupt_mode
	watchdog   *time.Timer
	disown     func()
	freed      sync.Once

	fileClaim, socketsClaim *leftover.Claim
}

// Conn implements jupyter.Kernel.
func (k *kernel) Conn() jupyter.Conn { return k.conn }

// PID implements jupyter.Kernel.
func (k *kernel) PID() int { return k.process.pid }

// PIDStart implements jupyter.Located.
func (k *kernel) PIDStart() int64 { return k.process.start }

// ConnFile implements jupyter.Located.
func (k *kernel) ConnFile() string { return k.file }

// Beat implements jupyter.Beating.
func (k *kernel) Beat(ctx context.Context) error { return jupyter.Alive(ctx, k.connection) }

// claims are the open files that say whose the kernel's files are.
func (k *kernel) claims() (open []*os.File) {
	for _, c := range []*leftover.Claim{k.fileClaim, k.socketsClaim, k.log.held} {
		if f := c.File(); f != nil {
			open = append(open, f)
		}
	}
	return open
}

// Died implements jupyter.Kernel.
func (k *kernel) Died() <-chan struct{} { return k.process.died }

// Death implements jupyter.Kernel.
func (k *kernel) Death() *kernelclient.Death {
	<-k.process.died
	return k.process.death
}

// Interrupt implements jupyter.Kernel.
func (k *kernel) Interrupt() (sent bool, err error) {
	if k.byMessage {
		return false, nil
	}
	alive, err := k.process.signal(interruptGroup)
	if err != nil {
		return false, fmt.Errorf("interrupting the kernel: %w", err)
	}
	if !alive {
		return false, k.Death()
	}
	return true, nil
}

// Stop implements jupyter.Kernel.
func (k *kernel) Stop(ctx context.Context) error {
	err := k.process.stop(ctx)
	k.free()
	return err
}

// free removes all that belonged to the process.
func (k *kernel) free() { k.release(true) }

// leave lets go of a process that goes on, with all that belongs to it.
func (k *kernel) leave() { k.release(false) }

func (k *kernel) release(remove bool) {
	k.freed.Do(func() {
		if !remove && k.process != nil && k.process.adopted {
			close(k.process.left)
		}
		if k.watchdog != nil {
			k.watchdog.Stop()
		}
		if k.conn != nil {
			_ = k.conn.Close()
		}
		if k.log != nil {
			k.log.close(remove)
		}
		if k.file != "" && remove {
			_ = os.Remove(k.file) // ipykernel removes it as well
		}
		k.fileClaim.Close()
		if k.sockets != "" && remove {
			_ = os.RemoveAll(k.sockets)
		}
		k.socketsClaim.Close()
		if k.disown != nil {
			k.disown()
		}
	})
}

// killUnbound ends a kernel that has made no socket, so that it is started over with tcp.
func (k *kernel) killUnbound() {
	entries, err := os.ReadDir(k.sockets)
	if err == nil && len(entries) == 0 {
		_, _ = k.process.signal(killGroup)
	}
}
