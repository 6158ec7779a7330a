package jupyterserver

import (
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// defaultLimit bounds connecting and sending where nobody set a limit.
const defaultLimit = 30 * time.Second

// Options are for New. Only URL is a must.
type Options struct {
	// URL is the server's address, in any form that ParseAddress reads. What it has that is
	// secret counts where the fields below are empty.
	URL      string
	Token    string
	Password string // of the server's login page
	// CAFile holds certificates to trust besides the system's, PEM. Insecure trusts any
	// certificate. Both are for this server alone, for https and wss alike.
	CAFile   string
	Insecure bool
	// Header is sent with each request. It may hold secrets.
	Header http.Header
	// Env is the environment, K=V, that proxies are taken from, and what of it is called
	// KERNEL_…, which gateways pass on to the kernels; nil is this process's own.
	Env []string
	// RequestTimeout bounds each request that does not start a kernel; 0 is 30 s.
	RequestTimeout time.Duration
	// Forget is StartSpec.Forget for all contexts.
	Forget bool
	// Log, if not nil, says how the log of a context that Start or Attach makes is kept.
	Log kernelclient.LogMaker
}

// environ is the environment as a lookup.
func (o Options) environ() []string {
	if o.Env != nil {
		return o.Env
	}
	return os.Environ()
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- { // as with a shell, the last one counts
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// kernelEnv is what of env goes to a kernel that a gateway starts, own after what is
// called KERNEL_….
func kernelEnv(env, own []string) map[string]string {
	out := map[string]string{}
	for _, kv := range env {
		if name, v, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(name, "KERNEL_") {
			out[name] = v
		}
	}
	for _, kv := range own {
		if name, v, ok := strings.Cut(kv, "="); ok && name != "" {
			out[name] = v
		}
	}
	return out
}
