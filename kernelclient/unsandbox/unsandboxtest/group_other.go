//go:build !unix

package unsandboxtest

import (
	"os"
	"os/exec"
)

func inGroup(*exec.Cmd) {}

func killShell(pid int, _ *os.File) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended
	}
}
