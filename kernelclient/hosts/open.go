package hosts

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/local"
)

// Options are for Open: how contexts are to be kept, and where the client is.
type Options struct {
	Env     []string // the client's environment, K=V; nil is this process's own
	Dir     string   // where kernels of this machine are looked for first
	Forget  bool     // contexts end with this process: their logs keep nothing that was taken
	Outlive bool     // kernels of this machine go on when this process ends
	// Log, if not nil, says how the log of a context that Start makes is kept.
	Log func(kernelclient.ContextInfo, kernelclient.StartSpec) (kernelclient.LogOptions, error)
}

// Open returns the host of a target. It connects to nothing yet: what is wrong with the
// host is the error of the first thing that is asked of it.
func Open(t Target, opt Options) (kernelclient.Host, error) {
	switch t.Kind {
	case Local:
		return local.New(local.Options{Env: opt.Env, Dir: opt.Dir, Forget: opt.Forget, Outlive: opt.Outlive, Log: opt.Log}), nil
	default:
		return nil, &kernelclient.Error{
			Kind: kernelclient.Invalid, What: fmt.Sprintf("--host %s: code cannot run there from here", t.URL), Next: "it is one of " + Forms,
		}
	}
}

// Adopt takes up a context of a process that ended, and returns the host that has it now.
func Adopt(ctx context.Context, t Target, opt Options, a kernelclient.Adoption) (kernelclient.Context, kernelclient.Host, error) {
	host, err := Open(t, opt)
	if err != nil {
		return nil, nil, err
	}
	adopter, ok := host.(kernelclient.Adopter)
	if !ok {
		return nil, nil, errors.Join(&kernelclient.Error{Kind: kernelclient.Unsupported, What: "what ran on " + t.URL + " cannot be found again"}, host.Close())
	}
	c, err := adopter.Adopt(ctx, a)
	if err != nil {
		return nil, nil, errors.Join(err, host.Close())
	}
	return c, host, nil
}
