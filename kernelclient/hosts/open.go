package hosts

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/kernelclient/unsandbox"
)

// Options are for Open: how contexts are to be kept, and where the client is.
type Options struct {
	Env     []string // the client's environment, K=V; nil is this process's own
	Dir     string   // where kernels of this machine are looked for first
	Forget  bool     // contexts end with this process: their logs keep nothing that was taken
	Outlive bool     // kernels, and what they are in, go on when this process ends
	// JobLog is the file that jobs of services are noted in, so that they are found again; "" is none.
	JobLog  string
	Version string            // of this program, for servers
	Warn    func(line string) // is told what is odd but no error; may be nil
	// Log, if not nil, says how the log of a context that Start makes is kept.
	Log kernelclient.LogMaker
}

// Open returns the host of a target. It connects to nothing yet: what is wrong with the
// host is the error of the first thing that is asked of it.
func Open(t Target, opt Options) (kernelclient.Host, error) {
	switch t.Kind {
	case Local:
		return local.New(local.Options{Env: opt.Env, Dir: opt.Dir, Forget: opt.Forget, Outlive: opt.Outlive, Log: opt.Log}), nil
	case Jupyter:
		address, password := t.Base, string(t.Password)
		if u, err := url.Parse(address); err == nil && t.User != "" {
			u.User, password = url.UserPassword(t.User, password), ""
			address = u.String()
		}
		return made(jupyterserver.New(jupyterserver.Options{
			URL: address, Token: string(t.Token), Password: password, CAFile: expand(t.CAFile), Insecure: t.Insecure,
			Env: opt.Env, Forget: opt.Forget, Log: opt.Log,
		}))
	case E2B, E2BServer:
		return openE2B(t, opt)
	case Unsandbox:
		return openUnsandbox(t, opt)
	case Process:
		to, err := Bridge(t)
		to.Version, to.Env, to.Dir = opt.Version, opt.Env, opt.Dir
		return made(bridge.New(to), err)
	default:
		return nil, &kernelclient.Error{
			Kind: kernelclient.Invalid, What: fmt.Sprintf("--host %s: code cannot run there from here", t.URL), Next: "it is one of " + Forms,
		}
	}
}

// made is a host, or none: a nil pointer in an interface would be neither.
func made[H kernelclient.Host](h H, err error) (kernelclient.Host, error) {
	if err != nil {
		return nil, err
	}
	return h, nil
}

// openE2B opens a sandbox: its code interpreter, or its Jupyter server.
func openE2B(t Target, opt Options) (kernelclient.Host, error) {
	o := e2bOptions(t, opt)
	if t.CAFile != "" || t.Insecure {
		var err error
		if o.TLS, err = trust.Config(expand(t.CAFile), t.Insecure); err != nil {
			return nil, err
		}
	}
	box, err := e2b.New(o)
	if err != nil || !t.ViaServer {
		return made(box, err)
	}
	return &inSandbox{box: box, opt: opt, caFile: expand(t.CAFile), insecure: t.Insecure}, nil
}

// e2bOptions are those of both kinds: a sandbox of the cloud, whose token is the API key,
// and a server at an address, whose token is its own.
func e2bOptions(t Target, opt Options) e2b.Options {
	o := e2b.Options{
		URL: t.Base, Sandbox: t.ID, Template: t.Template, Lifetime: time.Duration(t.Lifetime) * time.Second, Keep: t.Keep, Outlive: opt.Outlive,
		Env: opt.Env, Warn: opt.Warn, Forget: opt.Forget, Log: opt.Log,
	}
	if t.Kind == E2B {
		o.APIKey = string(t.Token)
	} else {
		o.AccessToken = string(t.Token)
	}
	return o
}

// openUnsandbox opens a host whose settings are in its address.
func openUnsandbox(t Target, opt Options) (kernelclient.Host, error) {
	query, err := url.ParseQuery(strings.TrimPrefix(t.URL, "unsandbox:?"))
	if t.URL == "unsandbox:" {
		query = nil
	}
	if err != nil {
		return nil, invalid(t.URL, err.Error())
	}
	settings, err := unsandbox.ParseSettings(query)
	if err != nil {
		return nil, err
	}
	return made(unsandbox.New(unsandbox.Options{
		Address: t.URL, PublicKey: t.PublicKey, SecretKey: string(t.Token), KeySource: t.KeySource, Account: t.Account, Dir: opt.Dir, Env: opt.Env,
		Settings: settings, JobLog: opt.JobLog, Version: opt.Version, Warn: opt.Warn, Forget: opt.Forget, Log: opt.Log,
	}))
}

// adoptWait is how long a host elsewhere may take to say what became of a context.
const adoptWait = 10 * time.Second

// Adopt takes up a context of a process that ended, and returns the host that has it now.
// Where a host elsewhere cannot be asked the context is Dead, and says why.
func Adopt(ctx context.Context, t Target, opt Options, a kernelclient.Adoption) (kernelclient.Context, kernelclient.Host, error) {
	host, err := Open(t, opt)
	if err != nil {
		return nil, nil, err
	}
	adopter, ok := host.(kernelclient.Adopter)
	if !ok {
		return nil, nil, errors.Join(&kernelclient.Error{Kind: kernelclient.Unsupported, What: "what ran on " + t.URL + " cannot be found again"}, host.Close())
	}
	limited, cancel := context.WithTimeout(ctx, adoptWait)
	defer cancel()
	c, err := adopter.Adopt(limited, a)
	switch {
	case err == nil:
		return c, host, nil
	case t.Kind == Local || ctx.Err() != nil:
		return nil, nil, errors.Join(err, host.Close())
	}
	return lostContext(t, a, err), host, nil
}
