//go:build !unix

package builtin

import "github.com/nbterm/nbterm/kernelclient"

// NewShellDriver returns nil: this system has no shell of the kind, and none is listed.
func NewShellDriver(ShellOptions) kernelclient.Driver { return nil }
