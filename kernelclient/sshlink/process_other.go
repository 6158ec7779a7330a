//go:build !unix

package sshlink

import (
	"os"
	"os/exec"
)

// apart is for systems with process groups.
func apart(*exec.Cmd) {}

// Standard is standard input and output for Serve.
func Standard() (in, out *os.File) { return os.Stdin, os.Stdout }

// interrupted is for systems with signals.
func interrupted(*os.ProcessState) bool { return false }

// lent is the terminal, which ssh uses beside this process here.
type lent struct{}

func lend(*exec.Cmd) lent { return lent{} }

func (*lent) back() {}
