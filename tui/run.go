package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook/session"
)

// stopPatience is how long a kernel may take to end by itself when the program ends.
const stopPatience = 3 * time.Second

// Exit statuses.
const (
	exitFine   = 0
	exitFailed = 1
	exitUsage  = 2
	exitHangup = 128 + 1
	exitTerm   = 128 + 15
)

// Run shows the notebook until the user quits. It returns the status to exit with; err is
// what to tell the user beside it, in one plain line. On every way out the terminal is as
// it was, the kernel ended or left to its host, and the session closed; unsaved changes that nobody agreed to
// discard are in a recovery copy, named on Err.
func Run(ctx context.Context, opt Options) (exit int, err error) {
	opt = opt.withDefaults()
	if err := opt.checkTerm(); err != nil {
		return exitUsage, errors.Join(err, closeSession(opt.Session, false, false))
	}
	m := newModel(opt)
	p := tea.NewProgram(m, m.programOptions(ctx)...)
	ended := make(chan struct{})
	if opt.Probe != nil {
		opt.Probe.start(p.Send, ended)
	}
	stopSignals := m.forwardSignals(p.Send)
	_, err = p.Run()
	close(ended)
	stopSignals()
	m.free.close()
	m.eachTab(m.unwatch)
	m.tree.load.close()
	if m.tree.found.FS != nil {
		_ = m.tree.found.FS.Close() // it only lets go
	}
	exit, err = m.verdict(ctx, err)
	m.eachTab(func() { err = errors.Join(err, m.endTab(exit)) })
	return exit, err
}

// endTab ends the notebook of a tab with the program.
func (m *Model) endTab(exit int) (err error) {
	if exit != exitFine {
		err = m.recover()
	} else {
		err = m.closeRecovery()
	}
	err = errors.Join(err, closeSession(m.session, m.session.Running(), m.keeps(exit)))
	if m.closeHost != nil {
		m.closeHost()
	}
	return err
}

func (m *Model) programOptions(ctx context.Context) []tea.ProgramOption {
	o := m.opt
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithEnvironment(o.Env), tea.WithFilter(filterSizes),
	}
	in, reads := gated(o.In, runtime.GOOS == "windows")
	if in != nil {
		opts = append(opts, tea.WithInput(in))
		m.clock.reads = reads
	}
	if o.Probe != nil {
		o.Probe.started()
		opts = append(opts, tea.WithOutput(markWriter{o.Out, o.Probe}), tea.WithFPS(120))
	} else if o.Out != nil {
		opts = append(opts, tea.WithOutput(o.Out))
	}
	if o.Width > 0 {
		opts = append(opts, tea.WithWindowSize(o.Width, o.Height))
	}
	if o.Profile != nil {
		opts = append(opts, tea.WithColorProfile(*o.Profile))
	}
	if o.getenv("SSH_TTY") != "" {
		opts = append(opts, tea.WithFPS(30))
	}
	return opts
}

// signalMsg is a signal to the process.
type signalMsg struct{ os.Signal }

// forwardSignals makes messages of signals until the returned function is called.
func (m *Model) forwardSignals(send func(tea.Msg)) (stop func()) {
	unhook := func() {}
	signals := m.opt.Signals
	quit, done := make(chan struct{}), make(chan struct{})
	if signals == nil {
		own := make(chan os.Signal, 4)
		signal.Notify(own, syscall.SIGTERM, os.Interrupt)
		if !signal.Ignored(syscall.SIGHUP) { // by nohup
			signal.Notify(own, syscall.SIGHUP)
		}
		watchStop(own)
		signals = own
		unhook = func() { signal.Stop(own) }
	}
	go func() {
		defer close(done)
		for {
			select {
			case s := <-signals:
				if !m.passOn(s) {
					send(signalMsg{s})
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		unhook()
		close(quit)
		<-done
	}
}

// passOn tells the external editor, if one runs, of a signal. It reports whether that was
// all: a stop is for the editor and us alike, and the terminal is not ours then.
func (m *Model) passOn(s os.Signal) bool {
	if isStop(s) {
		if !m.editor.running() || !hasShell() {
			return false
		}
		return stopGroup() == nil
	}
	if s != os.Interrupt {
		m.editor.stop(s)
	}
	return false
}

// signalled ends the program for SIGTERM and SIGHUP. SIGINT is a Ctrl-C that did not come
// as a key, SIGTSTP a Ctrl-Z.
func (m *Model) signalled(s signalMsg) tea.Cmd {
	if s.Signal == os.Interrupt {
		return m.interrupt()
	}
	if isStop(s.Signal) {
		return m.suspend()
	}
	m.signal = s.Signal
	return tea.Quit
}

// verdict makes an exit status of how the event loop ended.
func (m *Model) verdict(ctx context.Context, err error) (int, error) {
	switch {
	case m.signal == syscall.SIGTERM:
		return exitTerm, nil
	case m.signal == syscall.SIGHUP:
		return exitHangup, nil
	case err == nil:
		return exitFine, nil
	case errors.Is(err, tea.ErrProgramPanic):
		return exitFailed, errors.New("nbterm failed; please report what is printed above")
	case ctx.Err() != nil:
		return exitTerm, nil
	case errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF):
		return exitHangup, nil
	}
	return exitFailed, fmt.Errorf("the terminal failed: %w", err)
}

// closeSession ends the kernel, at once where something still runs, or leaves it running,
// and lets go of the session.
func closeSession(s *session.Session, now, keep bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	if keep {
		return errors.Join(s.Detach(ctx), s.Close())
	}
	err := s.Leave(ctx, now)
	return errors.Join(err, s.Close())
}
