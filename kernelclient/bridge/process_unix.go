//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

const (
	lockWait   = 3 * time.Second // for a host process that is about to end
	watchEvery = 2 * time.Second // how often the host process looks whether its socket is still there
	startWait  = 15 * time.Second
	readyWord  = "ready\n"
	logBytes   = 1 << 20
)

// Process is a host process to be. Its Run is what `nbterm host` does.
type Process struct {
	Place  Place
	Socket string // where to listen, "" to choose
	Server Options
	// Ready is told, and closed, when clients can connect: the pipe of the client that
	// started this process, nil for none.
	Ready *os.File
}

// Run serves until ctx ends, the last context was stopped on request, or nobody needs the
// process any more. A second host process for the place is an error of kind Exists.
func (p Process) Run(ctx context.Context) error {
	if err := os.MkdirAll(p.Place.Dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of the host process: %w", err)
	}
	lock, err := waitLock(ctx, p.Place.file(lockName), lockWait)
	if err != nil {
		return err
	}
	defer lock.Close()
	s, err := p.listen()
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(p.Place.file(recordName)) }() // clients notice by themselves
	if p.Ready != nil {
		_, _ = io.WriteString(p.Ready, readyWord) // who asked for it may be gone
		_ = p.Ready.Close()
	}
	if p.Server.Contexts == "" {
		p.Server.Contexts = p.Place.Contexts()
	}
	return NewServer(p.Server).serve(ctx, s, p.watcher(s))
}

// listen makes the socket and says where it is.
func (p Process) listen() (s *socket, err error) {
	if p.Socket != "" {
		s, err = listenAt(p.Socket)
	} else {
		s, err = p.Place.listen()
	}
	if err != nil {
		return nil, err
	}
	if err := p.Place.write(record{Socket: s.path, PID: os.Getpid(), Version: p.Server.Version}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// watcher returns a func that waits until the socket's path leads nowhere any more, and
// then returns a new one: a logout removes the runtime folder, and the login after it must
// find the process again.
func (p Process) watcher(s *socket) func(context.Context) net.Listener {
	return func(ctx context.Context) net.Listener {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
			if s.intact() {
				continue
			}
			_ = s.Close() // its path is gone already
			if next, err := p.listen(); err == nil {
				s = next
				return s
			}
		}
	}
}

// waitLock waits a while for a lock.
func waitLock(ctx context.Context, path string, limit time.Duration) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		f, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return f, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, ctx.Err())
		}
	}
}

// starter starts host processes for a client.
type starter struct {
	place   Place
	program string
	args    []string // the name that it is called by first

	mu    sync.Mutex // guards child
	child int        // the process that was started last, until it was reaped
}

// connect connects to the place's host process. Without one it is errNoHost.
func (p Place) connect(ctx context.Context) (net.Conn, error) {
	r, err := p.read()
	if err != nil {
		return nil, err
	}
	if r.Socket == "" {
		return nil, errNoHost
	}
	return connectTo(ctx, r.Socket)
}

func connectTo(ctx context.Context, path string) (net.Conn, error) {
	c, err := dialSocket(ctx, path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, fmt.Errorf("%w at %s", errNoHost, path)
	}
	return c, err
}

// start starts a host process and connects to it. Of several clients that do so at once
// one starts it and the others wait.
func (s *starter) start(ctx context.Context) (net.Conn, error) {
	if err := os.MkdirAll(s.place.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the host process: %w", err)
	}
	lock, err := waitLock(ctx, s.place.file(startName), startWait)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if c, err := s.place.connect(ctx); err == nil {
		return c, nil
	}
	if err := s.spawn(); err != nil {
		return nil, err
	}
	return s.await(ctx)
}

// spawn starts the process and waits until it is ready or has ended.
func (s *starter) spawn() error {
	s.reap()
	log, err := openLog(s.place.LogFile())
	if err != nil {
		return err
	}
	defer log.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: s.program, Args: append(slices.Clone(s.args), "--ready-fd", "3")}
	// A session of its own: what ends the terminal's does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = "/", log, log, []*os.File{w}
	err = cmd.Start()
	_ = w.Close() // the child has its own
	if err != nil {
		return fmt.Errorf("starting the host process: %w", err)
	}
	s.mu.Lock()
	s.child = cmd.Process.Pid
	s.mu.Unlock()
	_ = cmd.Process.Release() // reap waits for it, by its number
	_ = r.SetReadDeadline(time.Now().Add(startWait))
	_, _ = io.ReadAll(r) // its word or its end: whether it is there is seen by connecting
	return nil
}

// await connects to the process that was started, or to the one that had the lock before it.
func (s *starter) await(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := s.place.connect(ctx)
		if err == nil || !errors.Is(err, errNoHost) {
			return c, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, &kernelclient.Error{
				Kind: kernelclient.Disconnect, What: "the host process did not start", Next: s.place.LogFile() + " says why; --no-host works without it",
			}
		}
	}
}

// reap takes note of the end of the process that was started, so that no zombie is left.
func (s *starter) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == 0 {
		return
	}
	pid, err := syscall.Wait4(s.child, nil, syscall.WNOHANG, nil)
	if pid == s.child || err != nil {
		s.child = 0
	}
}

// openLog opens the host process's log for appending; a long one begins anew.
func openLog(path string) (*os.File, error) {
	flags := os.O_CREATE | os.O_APPEND | os.O_WRONLY
	if fi, err := os.Stat(path); err == nil && fi.Size() > logBytes {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the host process's log: %w", err)
	}
	return f, nil
}
