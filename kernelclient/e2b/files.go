package e2b

import (
	"context"
	"net/http"
	"strconv"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// FileService says where a sandbox's file service, envd, is and how to be let in.
type FileService struct {
	URL     string
	Token   string      // envd's access token; "" if it asks for none
	Version string      // envd's, "" if nobody told
	Header  http.Header // what routes a request to the sandbox
	ID      string      // of the sandbox
}

// Files finds the file service of a sandbox that exists, or of the server at Options.URL. A
// sandbox that is paused is woken by it.
func Files(ctx context.Context, opt Options) (FileService, error) {
	opt = opt.filled()
	box := Sandbox{ID: opt.Sandbox, AccessToken: opt.AccessToken}
	if !opt.debug() {
		if opt.Sandbox == "" {
			return FileService{}, &kernelclient.Error{
				Kind: kernelclient.Invalid, What: "a new sandbox has no files that could be used",
				Next: "name one that exists, as e2b:ID; `nbterm e2b list` shows them",
			}
		}
		cloud := NewCloud(opt)
		defer cloud.Close()
		var err error
		if box, err = cloud.Connect(ctx, opt.Sandbox); err != nil {
			return FileService{}, err
		}
	}
	c := newClient(opt, box, nil)
	return FileService{
		URL: c.envd, Token: c.access, Version: box.EnvdVersion, ID: c.id,
		Header: http.Header{wire.HeaderSandbox: {c.id}, wire.HeaderPort: {strconv.Itoa(wire.PortEnvd)}},
	}, nil
}
