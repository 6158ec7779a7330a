//go:build !unix

package builtin

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Launch implements jupyter.Launcher.
func (l *launcher) Launch(context.Context, int) (jupyter.Kernel, error) {
	return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "the built-in Python kernel does not run on this system", Next: "install ipykernel and choose its kernel"}
}
