package jupyterface

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Kernels is what starts kernels. local.Host is one.
type Kernels interface {
	// Kernels lists what can be started, the nearest first.
	Kernels(ctx context.Context) ([]kernelclient.Kernel, error)
	// Launcher returns what starts the kernel that start names. An unknown one is NotFound.
	Launcher(ctx context.Context, start kernelclient.StartSpec) (jupyter.Launcher, error)
}

// Options are for New. Kernels, Files and Root must be set.
type Options struct {
	Kernels Kernels
	// Files are what clients see as contents, below the folder Root, which is absolute. Kernels
	// start there.
	Files fswatch.FS
	Root  string
	// Token is what clients must know. NoAuth asks for none.
	Token  string
	NoAuth bool
	// MaxKernels is how many kernels there may be; 0 = no limit.
	MaxKernels int
	// Startup bounds a kernel's start; 0 = none.
	Startup time.Duration
	// Log gets what goes wrong, without code, outputs or secrets; nil drops it.
	Log *slog.Logger
}

// Face is an http.Handler that answers as a Jupyter Server. New makes it.
type Face struct {
	opt     Options
	mux     *http.ServeMux
	began   time.Time
	ctx     context.Context // ended by Close
	cancel  context.CancelFunc
	active  atomic.Int64 // unix milliseconds of the last request
	sockets sync.WaitGroup

	mu       sync.Mutex // guards all below
	closed   bool
	kernels  []*kernel // oldest first
	starting int       // kernels to be that count as some
	sessions []*session
}

// New returns the face. It starts nothing yet.
func New(opt Options) (*Face, error) {
	if opt.Token == "" && !opt.NoAuth {
		return nil, errors.New("a Jupyter face without a token is open to everybody")
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	f := &Face{opt: opt, mux: http.NewServeMux(), began: time.Now()}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.touch()
	f.routes()
	return f, nil
}

// Paths are the patterns of http.ServeMux for the paths of the face, for a listener that has
// others.
func Paths() []string {
	return []string{"GET /{$}", "/api", "/api/", "/kernelspecs/", "/login", "/tree", "/lab", "/hub/"}
}

func (f *Face) routes() {
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /api/{$}":                     f.version,
		"GET /api":                         f.version,
		"GET /api/status":                  f.status,
		"GET /api/me":                      f.me,
		"GET /api/kernelspecs":             f.listSpecs,
		"GET /api/kernelspecs/{name}":      f.oneSpec,
		"GET /kernelspecs/{name}/{file}":   f.resource,
		"GET /api/kernels":                 f.listKernels,
		"POST /api/kernels":                f.startKernel,
		"GET /api/kernels/{id}":            f.onKernel(f.getKernel),
		"DELETE /api/kernels/{id}":         f.onKernel(f.deleteKernel),
		"POST /api/kernels/{id}/interrupt": f.onKernel(f.interruptKernel),
		"POST /api/kernels/{id}/restart":   f.onKernel(f.restartKernel),
		"GET /api/kernels/{id}/channels":   f.onKernel(f.channels),
		"GET /api/sessions":                f.listSessions,
		"POST /api/sessions":               f.createSession,
		"GET /api/sessions/{id}":           f.onSession(f.getSession),
		"PATCH /api/sessions/{id}":         f.onSession(f.patchSession),
		"DELETE /api/sessions/{id}":        f.onSession(f.deleteSession),
		"GET /api/contents":                f.getContents,
		"GET /api/contents/{path...}":      f.getContents,
		"POST /api/contents":               f.newContents,
		"POST /api/contents/{path...}":     f.newContents,
		"PUT /api/contents/{path...}":      f.putContents,
		"PATCH /api/contents/{path...}":    f.moveContents,
		"DELETE /api/contents/{path...}":   f.deleteContents,
		"GET /{$}":                         f.page,
		"GET /tree":                        f.page,
		"GET /lab":                         f.page,
	} {
		f.mux.HandleFunc(pattern, handle)
	}
	f.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
}

// ServeHTTP answers one request.
func (f *Face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/login":
		loginPage(w)
	case !f.admits(r):
		f.turnAway(w, r)
	default:
		f.touch()
		f.mux.ServeHTTP(w, r)
	}
}

func (f *Face) touch() { f.active.Store(time.Now().UnixMilli()) }

// Close ends all kernels and closes the websockets, gently as long as ctx lasts. Requests
// that come later are refused.
func (f *Face) Close(ctx context.Context) error {
	f.mu.Lock()
	f.closed = true
	kernels := slices.Clone(f.kernels)
	f.kernels, f.sessions = nil, nil
	f.mu.Unlock()
	var all sync.WaitGroup
	errs := make([]error, len(kernels))
	for i, k := range kernels {
		all.Go(func() { errs[i] = k.stop(ctx) })
	}
	all.Wait()
	f.cancel()
	f.sockets.Wait()
	return errors.Join(errs...)
}

// Figures tells how many kernels and websockets there are.
func (f *Face) Figures() (kernels, clients int) {
	f.mu.Lock()
	all := slices.Clone(f.kernels)
	f.mu.Unlock()
	for _, k := range all {
		clients += k.model().Connections
	}
	return len(all), clients
}
