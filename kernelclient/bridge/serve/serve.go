package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// headerTime bounds a request's header, maxHeader its size.
	headerTime = 10 * time.Second
	maxHeader  = 64 << 10
	// keepAlive is longer than that of gateways that stand before servers of this kind.
	keepAlive = 640 * time.Second
	// farewell is how long requests may take to end once the server is to.
	farewell = 5 * time.Second
)

// Options are for New.
type Options struct {
	// Hosts are names under which clients call, beside localhost and IP addresses.
	Hosts []string
	// TLS, if not nil, is spoken on all listeners that are added.
	TLS *tls.Config
	// Idle ends Serve after so long without a request; 0 = never.
	Idle time.Duration
	// Rate is how many requests a second an address may make, with twice as many at once; more
	// are refused with a time to come again. 0 = no limit.
	Rate float64
	// Calls are the first parts of paths that the log may name; others may be anything.
	Calls []string
	// Log gets a line for each request: no query, no header, no body.
	Log *slog.Logger
}

// Server serves handlers on listeners. Add comes before Serve.
type Server struct {
	opt      Options
	serving  []serving
	requests atomic.Int64
	refused  atomic.Int64
	slowed   atomic.Int64
	under    atomic.Int64 // requests under way
	rates    rates
	used     chan struct{}
}

type serving struct {
	listener net.Listener
	server   *http.Server
}

// New returns a server without listeners.
func New(opt Options) *Server {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{opt: opt, used: make(chan struct{}, 1), rates: rates{perSecond: opt.Rate}}
}

// Listen listens at an address. "localhost" means both loopback addresses, of which one may
// be missing; with port 0 both get the same one.
func Listen(address string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host != "localhost" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return nil, err
		}
		return []net.Listener{l}, nil
	}
	first, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	_, port, _ = net.SplitHostPort(first.Addr().String()) // an address of ours is one
	second, err := net.Listen("tcp6", net.JoinHostPort("::1", port))
	if err != nil { // a machine without IPv6
		return []net.Listener{first}, nil
	}
	return []net.Listener{first, second}, nil
}

// Add has a handler serve listeners. Serve closes them.
func (s *Server) Add(handler http.Handler, listeners ...net.Listener) {
	for _, l := range listeners {
		if s.opt.TLS != nil {
			l = tls.NewListener(l, s.opt.TLS)
		}
		s.serving = append(s.serving, serving{l, &http.Server{
			Handler: s.watched(s.bounded(s.guard(handler))), ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeader, IdleTimeout: keepAlive,
			ErrorLog:     slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug),
			TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1: closing a connection ends one request
		}})
	}
}

// Close closes what Add was given, for a server that is never to serve.
func (s *Server) Close() {
	for _, v := range s.serving {
		_ = v.listener.Close() // nothing was served
	}
}

// Serve serves until ctx ends or nobody called for the time of Options.Idle. Before
// connections are cut close is called: it is to end what streams there are.
func (s *Server) Serve(ctx context.Context, end func()) error {
	failed := make(chan error, len(s.serving))
	var all sync.WaitGroup
	for _, v := range s.serving {
		all.Go(func() {
			if err := v.server.Serve(v.listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serving at %s ended: %w", v.listener.Addr(), err)
			}
		})
	}
	err := s.wait(ctx, failed)
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	all.Go(end)
	for _, v := range s.serving {
		all.Go(func() {
			if v.server.Shutdown(bounded) != nil {
				_ = v.server.Close() // what is left is cut
			}
		})
	}
	all.Wait()
	return err
}

func (s *Server) wait(ctx context.Context, failed <-chan error) error {
	for {
		var idle <-chan time.Time
		if s.opt.Idle > 0 {
			idle = time.After(s.opt.Idle)
		}
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		case <-s.used:
		case <-idle:
			if s.under.Load() == 0 {
				return nil
			}
		}
	}
}

// watched counts and logs requests.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		s.requests.Add(1)
		s.under.Add(1)
		defer func() {
			s.under.Add(-1)
			select {
			case s.used <- struct{}{}:
			default:
			}
			s.opt.Log.Info("request", "method", r.Method, "call", s.call(r.URL.Path), "took", time.Since(begun).Round(time.Millisecond).String())
		}()
		next.ServeHTTP(w, r)
	})
}

// call is the part of a path that says nothing of its user: files and ids are left out, and
// what is no call of ours.
func (s *Server) call(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if slices.Contains(s.opt.Calls, first) {
		return "/" + first
	}
	return "other"
}
