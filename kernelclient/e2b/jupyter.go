package e2b

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// JupyterServer is how the Jupyter server of a sandbox is reached.
type JupyterServer struct {
	URL    string
	Header http.Header // goes with each request; it may hold a token
	// Release says that nothing runs there any more: a sandbox that was made for it is killed
	// unless it is to be kept. It must be called once, or Close of the host kills it.
	Release func() error
}

// Jupyter finds the Jupyter server of the sandbox, which the code interpreter itself uses;
// the sandbox is made where there is none yet. What runs there can ask for input, complete,
// and update what it shows.
func (h *Host) Jupyter(ctx context.Context) (JupyterServer, error) {
	box, err := h.sandbox(ctx, 1)
	if err != nil {
		return JupyterServer{}, err
	}
	header := http.Header{}
	header.Set(wire.HeaderSandbox, box.client.ID())
	header.Set(wire.HeaderPort, strconv.Itoa(wire.PortJupyter))
	if box.client.traffic != "" {
		header.Set(wire.HeaderTraffic, box.client.traffic)
	}
	return JupyterServer{
		URL: h.opt.jupyter(box.client.ID(), box.domain), Header: header,
		Release: func() error { return h.leave(box) },
	}, nil
}

// jupyter says where a sandbox's Jupyter server is: behind the edge as the interpreter is,
// or beside the interpreter on its machine.
func (o Options) jupyter(id, domain string) string {
	port := strconv.Itoa(wire.PortJupyter)
	base, _ := o.place(id, domain)
	switch {
	case o.debug():
		if u, err := url.Parse(base); err == nil {
			return u.Scheme + "://" + u.Hostname() + ":" + port
		}
	case o.lookup("E2B_SANDBOX_URL") == "":
		return "https://" + port + "-" + id + "." + domain
	}
	return base
}
