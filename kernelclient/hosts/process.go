package hosts

import (
	"fmt"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/internal/trust"
)

// Bridge says how a host process is reached that a Process target names: at its socket, or
// over the network. The caller adds what else a client is told, and Dial for one that ssh
// reaches.
func Bridge(t Target) (opt bridge.ClientOptions, err error) {
	switch {
	case t.Kind != Process:
		return opt, &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("--host %s is no host process", t.URL)}
	case t.Socket != "":
		opt.Socket = t.Socket
		return opt, nil
	case t.Remote != "":
		opt.Name = t.URL
		return opt, nil
	}
	opt.Base, opt.Token, opt.Name = t.Base, string(t.Token), t.URL
	opt.TLS, err = trust.Config(expand(t.CAFile), t.Insecure)
	return opt, err
}
