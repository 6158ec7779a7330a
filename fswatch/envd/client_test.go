package envd

import (
	"net/http/httptest"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/fswatchtest"
)

// newPair is a client and the server that it talks to.
func newPair(t *testing.T, opt Options) (*FS, *Server) {
	t.Helper()
	home := tempDir(t)
	s := newServer(t, ServerOptions{Root: home, Token: testToken})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	opt.URL, opt.AccessToken = web.URL, testToken
	f, err := New(opt)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f, s
}

func TestConformance(t *testing.T) {
	for name, opt := range map[string]Options{"json": {}, "protobuf": {Binary: true}, "old": {Version: "0.5.0", User: "user"}} {
		t.Run(name, func(t *testing.T) {
			fswatchtest.Run(t, fswatchtest.Options{New: func(t *testing.T) (fswatch.FS, string) {
				f, s := newPair(t, opt)
				return f, s.tree.real
			}})
		})
	}
}
