package envd

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os/user"
	"strings"
	"sync"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
	"github.com/nbterm/nbterm/fswatch/localfs"
)

// serverVersion is the envd that the server behaves as: SDKs ask it for what that one has.
const serverVersion = "0.6.13"

// maxRequest bounds a request but for the contents of files: two paths and what belongs to them.
const maxRequest = 1 << 20

// ServerOptions say what is served to whom.
type ServerOptions struct {
	// Root is the folder whose files are served.
	Root string
	// Home is what relative paths and ~ mean, a folder in Root; "" is Root itself.
	Home string
	// Token is asked of every request, but for /health. It may be empty only with NoAuth.
	Token string
	// NoAuth serves without a token to whoever reaches the listener, until /init sets one.
	NoAuth bool
	// Hosts are names under which the server is reached, beside localhost and IP addresses:
	// a web page that makes its own name point here is refused.
	Hosts []string
	// Origins are web pages' origins that may call, such as "https://example.org", beside
	// the server's own.
	Origins []string
}

// Server serves a folder as envd serves a sandbox. It is made for a machine that other
// people and programs use too, so it differs where envd counts on being alone in a virtual
// machine: nothing is reached outside of Root, a token is asked from the start, foreign web
// pages are refused, there is one user, who has the rights of the process, and the folder
// itself cannot be removed. Commands (envd's process service) are not served.
//
// Paths are the same that other programs of the machine use. A Server is an http.Handler
// for HTTP/1.1; the caller listens. Writes are as envd's: in place, not atomic.
type Server struct {
	opts    ServerOptions
	tree    *tree
	local   fswatch.FS // for watching
	owners  owners
	me      string // the process's user
	handler http.Handler
	polls   pollers
	cpu     cpuClock
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	watches sync.WaitGroup // streams and watchers that are open
	mu      sync.Mutex     // guards all below
	token   string
	dir     string // the default folder if /init set one
	env     map[string]string
	closed  bool
}

// errOpen says that nothing would protect the files.
var errOpen = errors.New("a file server needs a token")

// NewServer opens the folder. Close ends it.
func NewServer(opts ServerOptions) (*Server, error) {
	if opts.Token == "" && !opts.NoAuth {
		return nil, errOpen
	}
	t, err := openTree(opts.Root)
	if err != nil {
		return nil, err
	}
	local, err := localfs.New(localfs.Options{Root: t.real})
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	s := &Server{opts: opts, tree: t, local: local, token: opts.Token, me: "user", env: map[string]string{"E2B_SANDBOX": "false"}}
	if u, err := user.Current(); err == nil {
		s.me = u.Username
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers one request. The layers are in envd's order; who may talk comes first.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends all watches, telling their clients, and waits until they ended. It may be called
// more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.watches.Wait()
	s.polls.closeAll()
	if !first {
		return nil
	}
	return errors.Join(s.local.Close(), s.tree.close())
}

// enter counts a watch in, unless the server is closed. The caller calls s.watches.Done.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.watches.Add(1)
	return true
}

func (s *Server) accessToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// home is what relative paths are in.
func (s *Server) home() string { return cmp.Or(s.opts.Home, s.tree.alias) }

// workdir is what an empty path means, "" for the home.
func (s *Server) workdir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dir
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(envdpb.NewFilesystemHandler(service{s}, connect.WithReadMaxBytes(maxRequest)))
	for path, by := range map[string]methods{
		"/files":         {http.MethodGet: s.download, http.MethodPost: s.upload},
		"/files/compose": {http.MethodPost: s.compose},
		"/health":        {http.MethodGet: s.health},
		"/metrics":       {http.MethodGet: s.metrics},
		"/envs":          {http.MethodGet: s.envs},
		"/init":          {http.MethodPost: s.init},
	} {
		mux.Handle(path, by)
	}
	return s.guard(s.gate(s.named(mux)))
}

// methods serves one path.
type methods map[string]http.HandlerFunc

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := m[r.Method]; ok {
		h(w, r)
		return
	}
	var allow []string
	for _, name := range []string{http.MethodGet, http.MethodPost} {
		if _, ok := m[name]; ok {
			allow = append(allow, name)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	w.WriteHeader(http.StatusMethodNotAllowed)
}

// named refuses users that there are not. Who is named decides nothing else here.
func (s *Server) named(next http.Handler) http.Handler {
	errs := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, ok := r.BasicAuth()
		if !ok || s.knows(name) {
			next.ServeHTTP(w, r)
			return
		}
		err := errors.New("invalid username: '" + name + "'")
		if errs.IsSupported(r) {
			_ = errs.Write(w, r, connect.NewError(connect.CodeUnauthenticated, err)) // the client is gone
			return
		}
		fail(w, http.StatusUnauthorized, err)
	})
}

// knows tells whether this is the process's user, by its name or by that of sandboxes.
func (s *Server) knows(name string) bool { return name == s.me || name == "user" }
