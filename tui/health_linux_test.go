package tui_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// What the kernel's process takes is in the status bar, and gone with the process.
func TestHealthInTheStatusBar(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	a := open(t, setup{file: file("a"), width: 120, height: 24, script: echo, asks: &hosttest.Fake{PID: cmd.Process.Pid}})
	a.hides("MB")
	a.Keys("ctrl+e")
	a.WaitScreen("what sleep takes", func(screen string) bool {
		return strings.Contains(screen, "(ipykernel) · idle · ") && strings.Contains(screen, " MB  ")
	})
}
