package local

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Launcher returns what starts the kernel that start names, for a caller who speaks to it in
// Jupyter's messages himself: the host keeps no log of it and lists no context. The caller
// stops every kernel that it launches. Errors are those of Start; a kernel that does not
// speak Jupyter's protocol is Unsupported.
func (h *Host) Launcher(ctx context.Context, start kernelclient.StartSpec) (jupyter.Launcher, error) {
	s, err := h.choose(ctx, &start)
	if err != nil {
		return nil, err
	}
	if s.shell != "" {
		return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: fmt.Sprintf("kernel %q does not speak Jupyter's protocol", s.name)}
	}
	return h.launcher(kernelclient.ContextID(newID()), s, start), nil
}

// usable checks the working folder, or chooses it where start has none.
func usable(start *kernelclient.StartSpec, otherwise string) error {
	if start.Dir == "" {
		start.Dir = otherwise
	}
	fi, err := os.Stat(start.Dir)
	if err == nil && !fi.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return &kernelclient.Error{
			Kind: kernelclient.NotFound, What: "the working folder " + start.Dir + " cannot be used", Err: plain(err),
		}
	}
	return nil
}
