package local

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/nbterm/nbterm/kernelclient"
)

// canSignal is false: a console signal would reach us as well, so that interrupts go as messages.
const canSignal = false

func separate(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func interruptGroup(int) error {
	return &kernelclient.Error{Kind: kernelclient.Unsupported, What: "signals do not exist on Windows"}
}

// killGroup ends the kernel's process. Its children are not ours to see here.
func killGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// terminate does nothing: Windows has no polite end but the message that was sent.
func terminate(int) error { return nil }

func awaitExit(int) bool { return false }

func killRest(int) {}

func deathOf(s *os.ProcessState, _ bool) *kernelclient.Death {
	return &kernelclient.Death{Code: s.ExitCode()}
}

// trusted: a folder's owner is not looked at here.
func trusted(string, string) bool { return true }

func lookPathExt(name string, missing error) (string, error) {
	p, err := exec.LookPath(name)
	if err != nil {
		return "", missing
	}
	return p, nil
}
