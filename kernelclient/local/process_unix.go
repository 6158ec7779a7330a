//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/isolate"
)

// canSignal says that Ctrl-C can be delivered as a signal.
const canSignal = true

// separate puts the program into a session of its own: Ctrl-C in our terminal does not
// reach it, and its process group has its own number. dies says that it ends with us.
func separate(cmd *exec.Cmd, dies bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if dies {
		dieWithParent(cmd.SysProcAttr)
	}
}

func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) }

func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// killRest kills what a dead leader left in its group.
func killRest(pid int) { _ = killGroup(pid) }

// terminate also wakes a stopped process, which could not act on TERM.
func terminate(pid int) error {
	return errors.Join(syscall.Kill(-pid, syscall.SIGTERM), syscall.Kill(-pid, syscall.SIGCONT))
}

// deathOf says how a process ended. For one in a box its parent's status tells.
func deathOf(s *os.ProcessState, boxed bool) *kernelclient.Death {
	signal, code := isolate.Ended(s, boxed)
	if signal != 0 {
		return &kernelclient.Death{Signal: unix.SignalName(signal)}
	}
	return &kernelclient.Death{Code: code}
}

// trusted says whether a folder's owner may decide what we run for a notebook in dir: we
// ourselves, root, or whoever owns dir.
func trusted(folder, dir string) bool {
	owner, ok := ownerOf(folder)
	if !ok {
		return false
	}
	near, ok := ownerOf(dir)
	return owner == 0 || owner == uint32(os.Geteuid()) || ok && owner == near
}

func ownerOf(path string) (uint32, bool) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return st.Uid, true
}

// lookPathExt is for Windows only.
func lookPathExt(_ string, missing error) (string, error) { return "", missing }
