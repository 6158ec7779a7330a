//go:build unix

package tui

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// watchStop listens to what `kill -TSTP` sends, and an external editor's Ctrl-Z.
func watchStop(signals chan<- os.Signal) { signal.Notify(signals, unix.SIGTSTP) }

func isStop(s os.Signal) bool { return s == unix.SIGTSTP }

// stopGroup stops this process and those of its group until they are continued. The call
// that stops them may return before that happens.
func stopGroup() error {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, unix.SIGCONT)
	defer signal.Stop(goOn)
	if err := unix.Kill(0, unix.SIGSTOP); err != nil {
		return err
	}
	<-goOn
	return nil
}

// hasShell tells whether the process that started us shares our terminal session: there is
// somebody who can continue us.
func hasShell() bool {
	ours, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parents, err := unix.Getsid(os.Getppid())
	return err == nil && ours == parents
}
