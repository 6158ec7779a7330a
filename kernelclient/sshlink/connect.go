package sshlink

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/nbterm/nbterm/kernelclient"
)

const (
	window  = 8 << 20          // bytes under way on one connection: a line to the other side of the world stays full
	deaf    = 15 * time.Second // without a sign of life, or with a write that does not end, the link is dead
	endWait = 2 * time.Second  // for ssh to end by itself
)

// mark begins the lines in which the other machine says how it stands; whatever its shell
// prints before is skipped.
const mark = "nbterm-link "

// connect runs ssh and returns once the other end serves. With ask, ssh may use the terminal.
func (l *Link) connect(ctx context.Context, ask bool) (*yamux.Session, error) {
	p, err := l.start(ask)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.kill)
	err = l.agree(ctx, p, ask)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	p.terminal.back()
	if err != nil {
		p.finish() // its status and its last words tell why
		return nil, l.failed(ctx, p, ask, err)
	}
	p.said.quiet()
	session, err := yamux.Client(p, muxed(l.deaf))
	if err != nil {
		p.kill()
		return nil, l.failed(ctx, p, ask, err)
	}
	l.wg.Go(func() {
		select {
		case <-session.CloseChan():
		case <-p.ended:
		case <-l.life.Done():
		}
		p.finish()          // first: Close waits for what is read, and a line that is dead says nothing
		_ = session.Close() // it only lets go
	})
	return session, nil
}

// muxed says how many connections share one, and how long it may be deaf.
func muxed(deaf time.Duration) *yamux.Config {
	c := yamux.DefaultConfig()
	c.MaxStreamWindowSize, c.KeepAliveInterval, c.ConnectionWriteTimeout = window, deaf/3, deaf
	c.LogOutput = io.Discard
	return c
}

// agree waits until the other end serves. Where nbterm is missing there, and somebody can be
// asked, it is put there first.
func (l *Link) agree(ctx context.Context, p *process, ask bool) error {
	for {
		kind, rest, err := p.word()
		if err != nil {
			return err
		}
		switch {
		case kind == "ready":
			return nil
		case kind == "none" && ask && l.opt.Copy != nil:
			p.terminal.back()
			if err := l.put(ctx, p, rest); err != nil {
				return err
			}
		case kind == "none":
			return &kernelclient.Error{
				Kind: kernelclient.Disconnect, What: "there is no nbterm on " + l.opt.Host,
				Next: "`nbterm ssh " + l.opt.Host + "` puts it there",
			}
		default:
			return &kernelclient.Error{Kind: kernelclient.Disconnect, What: "nbterm on " + l.opt.Host + " cannot start: " + rest}
		}
	}
}

// put copies the program there.
func (l *Link) put(ctx context.Context, p *process, system string) error {
	program, err := l.opt.Copy(ctx, system)
	if err != nil {
		return notCopied{err}
	}
	defer program.Close()
	if _, err := fmt.Fprintf(p.in, "copy %d %s\n", program.Size, program.Sum); err != nil {
		return err
	}
	_, err = io.Copy(p.in, program)
	return err
}

// notCopied is an error of Options.Copy.
type notCopied struct{ error }

// failed is the error of a connection that did not come about: in ssh's own words, if it
// said any. asked is whether it could ask for something.
func (l *Link) failed(ctx context.Context, p *process, asked bool, err error) error {
	var own *kernelclient.Error
	var not notCopied
	status := p.wait()
	said := p.said.last()
	e := &kernelclient.Error{Kind: kernelclient.Disconnect, What: "ssh does not reach " + l.opt.Host, Err: err}
	switch {
	case errors.As(err, &not):
		return not.error
	case errors.As(err, &own):
		return err
	case ctx.Err() != nil && l.life.Err() == nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		e.Err = errors.New("it took too long")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case asked && interrupted(p.cmd.ProcessState):
		return ErrInterrupted
	case status == 255 && said != "":
		e.Err, e.Next = errors.New(strings.TrimSuffix(said, ".")), l.next(p.said.all(), asked)
	case said != "":
		e.What, e.Err, e.Next = "nbterm does not start on "+l.opt.Host, errors.New(said), "update nbterm there; `ssh "+l.opt.Host+" nbterm version` says which it is"
	case errors.Is(err, io.EOF):
		e.Err = fmt.Errorf("it ended with status %d", status)
	}
	return e
}

// next is what to do about what ssh said.
func (l *Link) next(said string, asked bool) string {
	switch {
	case strings.Contains(said, "REMOTE HOST IDENTIFICATION HAS CHANGED"), strings.Contains(said, "Host key verification failed"):
		return "find out whether it is the right machine; `ssh " + l.opt.Host + "` tells about its key"
	case asked:
	case strings.Contains(said, "Permission denied"), strings.Contains(said, "passphrase"):
		return "ssh wants to ask something: save, quit and start again, kernels go on; an agent or ControlMaster lets it go without"
	}
	return "`ssh " + l.opt.Host + "` alone tells more"
}

// word reads lines until one is for us.
func (p *process) word() (kind, rest string, err error) {
	for {
		line, err := p.out.ReadString('\n')
		if text, ours := strings.CutPrefix(line, mark); ours && err == nil {
			kind, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
			return kind, rest, nil
		}
		if err != nil {
			return "", "", err
		}
	}
}

// start runs ssh.
func (l *Link) start(ask bool) (*process, error) {
	program := l.opt.Program
	if program == "" {
		program = "ssh"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Disconnect, What: "there is no ssh program here", Next: "install one (Debian: openssh-client)", Err: err}
	}
	cmd := exec.Command(path, l.arguments(ask)...)
	p := &process{cmd: cmd, said: &said{}, ended: make(chan struct{})}
	if ask {
		p.said.to = l.opt.Stderr
		p.terminal = lend(cmd)
	} else {
		apart(cmd)
	}
	cmd.Stderr, cmd.WaitDelay = p.said, endWait
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := cmd.Start(); err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Disconnect, What: "ssh cannot be started", Err: err}
	}
	return p, nil
}

// arguments are ssh's. What the user's settings make it do besides would be in the way: a
// command of their own, and forwarded ports that an earlier connection has already.
func (l *Link) arguments(ask bool) []string {
	args := append([]string(nil), l.opt.Args...)
	args = append(args, "-T", "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no")
	if !ask {
		args = append(args, "-o", "BatchMode=yes")
	}
	return append(args, "--", l.opt.Host, script())
}
