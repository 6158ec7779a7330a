package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/nbterm/nbterm/internal/webguard"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

const (
	headerWait = 10 * time.Second // for a request to be sent
	bodyWait   = time.Minute      // for what belongs to it
	maxBody    = 64 << 20         // bytes of that: the code of a cell, and an environment
	drainWait  = 2 * time.Second  // at the end, for clients to read on
)

// Options are for NewServer.
type Options struct {
	// Host makes the host of one context, which the server closes.
	Host func(Surroundings) (kernelclient.Host, error)
	// Adopt makes a context again that an earlier process left, and its host. nil: what was
	// left is not looked at.
	Adopt func(context.Context, Left) (kernelclient.Context, kernelclient.Host, error)
	// Contexts is the folder of the contexts' journals; "" keeps none.
	Contexts string
	// Limit is how many bytes of events are kept for each context; 0 = no limit.
	Limit int64
	// Idle is how long the server stays with neither a client nor a kernel; 0 = for ever.
	Idle time.Duration
	// Files, if not nil, is the file service of this machine, whose paths are put behind
	// FilesPath. A server that ends closes it if it is an io.Closer, so that watches end.
	Files http.Handler
	// Token is asked of each request, as a bearer's; "" asks for none: a socket of its user
	// alone needs none.
	Token string
	// MaxContexts is how many contexts there may be; 0 = no limit.
	MaxContexts int
	// Stay says that POST /stop ends all contexts, not the server, which others use, too.
	Stay bool
	// Version is the release that clients are told.
	Version string
	// Log takes what no client can be told; nil for none.
	Log *slog.Logger
}

// Surroundings are where the kernels of a client are.
type Surroundings struct {
	Env []string // its environment, K=V
	Dir string   // where it looks for Python environments first
	// Target says on which other host kernels are to be started, as ClientOptions.Target did.
	Target json.RawMessage
	// Log gives the logs of contexts their journals.
	Log kernelclient.LogMaker
}

// Server owns contexts and serves them to clients.
type Server struct {
	opt     Options
	mux     *http.ServeMux
	keeper  *keeper
	adopted chan struct{} // closed when all was taken up that an earlier process left
	life    context.Context
	hush    func() // ends streams that have no end of their own

	mu       sync.Mutex // guards all below
	contexts map[kernelclient.ContextID]*kept
	nonces   map[string]*kept         // by startRequest.Nonce
	starting map[string]chan struct{} // by startRequest.Nonce: closed when the start is over
	conns    int
	rev      int64 // of the last description
	idle     *time.Timer
	stopping bool
	done     chan struct{} // closed when the server is to end
}

// kept is a context that the server owns, and the host that made it.
type kept struct {
	kernelclient.Context
	host    kernelclient.Host
	nonce   string
	clients visitors
}

// NewServer returns a server without contexts.
func NewServer(opt Options) *Server {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		opt: opt, mux: http.NewServeMux(), contexts: map[kernelclient.ContextID]*kept{},
		nonces: map[string]*kept{}, starting: map[string]chan struct{}{}, done: make(chan struct{}),
		keeper: newKeeper(opt.Contexts, opt.Limit), adopted: make(chan struct{}),
	}
	var over context.CancelFunc
	s.life, over = context.WithCancel(context.Background())
	s.hush = sync.OnceFunc(func() { over(); s.endFiles() })
	s.routes()
	return s
}

// Serve answers clients until ctx ends, POST /stop came, or the server was idle for long
// enough. Its contexts' kernels are left alone unless they were stopped.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serve(ctx, l, func(context.Context) net.Listener { return nil })
}

// serve is Serve with a func that waits until there is another listener to go on with, nil
// for none.
func (s *Server) serve(ctx context.Context, l net.Listener, next func(context.Context) net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: headerWait, ConnState: s.count,
		ErrorLog: slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelWarn),
	}
	var serving sync.WaitGroup
	listen := func(l net.Listener) { serving.Go(func() { _ = h.Serve(l) }) } // it ends with its listener
	listen(l)
	serving.Go(func() { s.Begin(ctx) })
	serving.Go(func() {
		for l := next(ctx); l != nil; l = next(ctx) {
			listen(l)
		}
	})
	s.mu.Lock()
	s.rest()
	s.mu.Unlock()
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	s.hush()
	drain, end := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
	defer end()
	if ctx.Err() != nil || h.Shutdown(drain) != nil {
		_ = h.Close() // the streams of contexts that go on have no end, and a client that reads nothing is not waited for
	}
	cancel()
	serving.Wait()
	s.End(drain)
	return nil
}

// Begin takes up what an earlier process left, for a server whose ServeHTTP others call.
// Requests that have to do with contexts wait for it.
func (s *Server) Begin(ctx context.Context) { s.adopt(ctx) }

// End ends the streams of clients and waits until what contexts have put out is on record,
// for as long as ctx lasts. Kernels are left alone. It comes after Begin, once.
func (s *Server) End(ctx context.Context) {
	s.hush()
	s.settle(ctx)
	s.keeper.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	if s.idle != nil {
		s.idle.Stop()
	}
}

// ServeHTTP implements http.Handler. Whoever may call is told the version of the protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.opt.Token != "" && !webguard.Same(webguard.Bearer(r), s.opt.Token) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, stranger(r))
		return
	}
	w.Header().Set(protoHeader, protoText)
	s.mux.ServeHTTP(w, r)
}

// stranger is the error for who does not know the token.
func stranger(r *http.Request) error {
	e := &kernelclient.Error{
		Kind: kernelclient.Unauthenticated, What: "the server does not take this token",
		Next: "`nbterm serve` printed it when it started, or has it from its --token-file; here --token-file, NBTERM_TOKEN or the config file give it",
	}
	if webguard.Bearer(r) == "" {
		e.What = "the server asks for a token"
	}
	return e
}

// count keeps account of connections: every client that lives holds one.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns++
	case http.StateClosed, http.StateHijacked:
		s.conns--
	default:
		return
	}
	s.rest()
}

// rest starts the clock of a server without clients, or stops it. mu is held.
func (s *Server) rest() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if s.opt.Idle > 0 && s.conns == 0 && !s.stopping {
		s.idle = time.AfterFunc(s.opt.Idle, s.endIdle)
	}
}

// endIdle ends the server if nobody came meanwhile and no kernel lives: what dead ones put
// out is in their journals.
func (s *Server) endIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.contexts {
		if s.keeper.dir == "" || k.Info().State.State != event.Dead {
			s.rest()
			return
		}
	}
	if s.conns == 0 {
		s.end()
	}
}

// end has Serve return. mu is held.
func (s *Server) end() {
	if !s.stopping {
		s.stopping = true
		close(s.done)
	}
}

func (s *Server) routes() {
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /hello":               s.hello,
		"GET /contexts":            s.settled(s.list),
		"POST /contexts/{id}/stop": s.settled(s.stop),
		"POST /stop":               s.settled(s.stopAll),

		"POST /v1/kernels":                 s.kernels,
		"POST /v1/running":                 s.settled(s.runningKernels),
		"POST /v1/contexts":                s.settled(s.start),
		"GET /v1/contexts/{id}":            s.of(s.attach),
		"GET /v1/contexts/{id}/events":     s.of(s.events),
		"POST /v1/contexts/{id}/submit":    s.of(s.submit),
		"POST /v1/contexts/{id}/cancel":    s.of(s.cancel),
		"POST /v1/contexts/{id}/interrupt": s.of(s.interrupt),
		"POST /v1/contexts/{id}/answer":    s.of(s.answer),
		"POST /v1/contexts/{id}/restart":   s.of(s.restart),
		"POST /v1/contexts/{id}/saved":     s.of(s.saved),
		"POST /v1/contexts/{id}/ask":       s.of(s.ask),
		"POST /v1/contexts/{id}/leave":     s.of(s.leave),
	} {
		s.mux.HandleFunc(pattern, h)
	}
	s.routeFiles()
}

// settled is a handler that waits until what an earlier process left is taken up.
func (s *Server) settled(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.adopted:
			h(w, r)
		case <-r.Context().Done():
		}
	}
}

// of is a handler of one context.
func (s *Server) of(h func(*kept, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return s.settled(func(w http.ResponseWriter, r *http.Request) {
		k, err := s.find(kernelclient.ContextID(r.PathValue("id")))
		if err != nil {
			refuse(w, err)
			return
		}
		h(k, w, r)
	})
}

func (s *Server) find(id kernelclient.ContextID) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.contexts[id]; k != nil {
		return k, nil
	}
	return nil, &kernelclient.Error{
		Kind: kernelclient.NotFound, What: "no kernel with the id " + string(id) + " runs in the host process", Next: "`nbterm ls` lists what does",
	}
}

// keep takes a context over.
func (s *Server) keep(k *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contexts[k.Info().ID] = k
	if k.nonce != "" {
		s.nonces[k.nonce] = k
	}
	s.rest()
}

// drop lets go of a context that was stopped.
func (s *Server) drop(k *kept) {
	s.mu.Lock()
	id := k.Info().ID
	mine := s.contexts[id] == k
	if mine {
		delete(s.contexts, id)
		delete(s.nonces, k.nonce)
		s.rest()
	}
	s.mu.Unlock()
	if mine {
		_ = k.host.Close() // its only context is over
	}
}

// all are the contexts, oldest first.
func (s *Server) all() []*kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*kept, 0, len(s.contexts))
	for _, k := range s.contexts {
		out = append(out, k)
	}
	return out
}

// Counts are figures of a server.
type Counts struct {
	Contexts  int
	Active    int // executions that run or wait
	Followers int // clients that follow a context
	Lasting   int // contexts whose kernels do not end with this process
}

// Counts tells what there is now.
func (s *Server) Counts() (n Counts) {
	for _, k := range s.all() {
		i := s.describe(k)
		n.Contexts++
		n.Active += i.Running + i.Waiting
		n.Followers += i.Clients
		if i.State != string(event.Dead) && i.ConnFile != "" {
			n.Lasting++
		}
	}
	return n
}

// reply writes v as the answer.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(jsonLine(v)) // a client that is gone needs no answer
}

// refuse writes an error as the answer.
func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statusOf(err))
	_, _ = w.Write(jsonLine(encodeError(err)))
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, kernelclient.NotFound):
		return http.StatusNotFound
	case errors.Is(err, kernelclient.Invalid), errors.Is(err, kernelclient.Protocol):
		return http.StatusBadRequest
	case errors.Is(err, kernelclient.Permission):
		return http.StatusForbidden
	case errors.Is(err, kernelclient.Unauthenticated):
		return http.StatusUnauthorized
	case errors.Is(err, kernelclient.RateLimited):
		return http.StatusTooManyRequests
	}
	return http.StatusConflict
}

// take reads a request's body; false: it was refused.
func take(w http.ResponseWriter, r *http.Request, v any) bool {
	to := http.NewResponseController(w)
	_ = to.SetReadDeadline(time.Now().Add(bodyWait)) // who has none waits for its client
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(v)
	if err == nil {
		_ = to.SetReadDeadline(time.Time{})
	}
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		refuse(w, &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("the request is longer than %d MB", long.Limit>>20)})
		return false
	}
	if err != nil {
		refuse(w, &kernelclient.Error{Kind: kernelclient.Protocol, What: "the request cannot be read", Err: err})
		return false
	}
	return true
}

func (s *Server) hello(w http.ResponseWriter, _ *http.Request) {
	reply(w, hello{Proto: Proto, Version: s.opt.Version, PID: os.Getpid(), Machine: fingerprint()})
}
