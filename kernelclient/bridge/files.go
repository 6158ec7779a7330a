package bridge

import (
	"errors"
	"io"
	"net/http"

	"github.com/nbterm/nbterm/kernelclient"
)

// FilesPath is what the paths of a host process's file service are put behind.
const FilesPath = "/files"

// filesHeader tells an answer of the file service from one of a host process without one.
const filesHeader = "Nbterm-Files"

// routeFiles puts the file service behind its path.
func (s *Server) routeFiles() {
	if s.opt.Files == nil {
		return
	}
	files := http.StripPrefix(FilesPath, s.opt.Files)
	s.mux.HandleFunc(FilesPath+"/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(filesHeader, protoText)
		files.ServeHTTP(w, r)
	})
}

// endFiles ends what streams the file service has.
func (s *Server) endFiles() {
	if c, ok := s.opt.Files.(io.Closer); ok {
		_ = c.Close() // the process ends
	}
}

// Files is the file service of the host process: the address that its paths are put behind,
// and what carries requests there, which serves until the client is closed. An answer that
// is not the service's is an error: one of kind Unsupported where the host process has none.
func (c *Client) Files() (base string, rt http.RoundTripper) {
	return c.base() + FilesPath, filesTransport{c}
}

type filesTransport struct{ c *Client }

// RoundTrip implements http.RoundTripper.
func (t filesTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.c.http.Transport.RoundTrip(r)
	if err != nil {
		return nil, t.c.disconnected(r.Context(), err)
	}
	if resp.Header.Get(filesHeader) != "" {
		return resp, nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err != nil {
		return nil, t.c.disconnected(r.Context(), err)
	}
	if resp.StatusCode == http.StatusNotFound && resp.Header.Get(protoHeader) == protoText {
		return nil, &kernelclient.Error{
			Kind: kernelclient.Unsupported, What: t.c.called() + " is of an older nbterm, which gives no files",
			Next: "it does after an update and `nbterm stop --all` there",
		}
	}
	if err = t.c.versioned(resp, answered(resp, data, nil)); err == nil {
		err = unreadable(errors.New("the file service is missing"))
	}
	return nil, err
}
