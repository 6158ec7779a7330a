package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
)

// face is one of the ways in which the server answers.
type face struct {
	handler http.Handler
	below   []string // its paths on the main listener, as http.ServeMux has them; none: it is elsewhere
	where   []string // its addresses for people, as their programs take them
	figures func() []serve.Figure
	end     func(context.Context) // ends what it has under way; kernels that end with it get as long as the context lasts
}

// serve opens the faces before anything is answered, so that a port that is taken is known
// at once.
func (s *server) serve(ctx context.Context, to *serve.Server, opt serve.Options, root, token string) (err error) {
	var faces []*face
	endAll := func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for _, f := range faces {
			all.Go(func() { f.end(bounded) })
		}
		all.Wait()
	}
	begun := false
	defer func() {
		if !begun {
			endAll()
			to.Close()
		}
	}()
	if s.e2b {
		f, err := s.openE2B(to, opt, root, token)
		if err != nil {
			return err
		}
		faces = append(faces, f)
	}
	shared, err := s.openMain(to, opt, root, token)
	faces = append(faces, shared...)
	if err != nil {
		return err
	}
	if err := s.addMetrics(to, faces); err != nil {
		return err
	}
	s.announce(faces)
	begun = true
	return servedUntilSignal(ctx, func(ctx context.Context) error { return to.Serve(ctx, endAll) })
}

// openMain opens the main listener and the faces that share it. Where another face is asked
// for and no port was named, one that is taken costs only these.
func (s *server) openMain(to *serve.Server, opt serve.Options, root, token string) (faces []*face, err error) {
	port := s.port
	if port == "" {
		port = defaultPort
	}
	listeners, err := serve.Listen(net.JoinHostPort(s.host, port))
	if err != nil {
		if s.e2b && !s.jupyter && s.port == "" {
			note(fmt.Sprintf("port %s is taken, so nbterm on other machines cannot connect; --listen HOST:PORT names another", port))
			return nil, nil
		}
		return nil, fmt.Errorf("--listen %s cannot be used: %w", s.listen, err)
	}
	at := listeners[0].Addr().String()
	mux := http.NewServeMux()
	to.Add(mux, listeners...)
	for _, open := range []func(at string, opt serve.Options, root, token string) (*face, error){ // those of the main listener, each with paths of its own
		s.openOwn, s.openJupyter,
	} {
		f, err := open(at, opt, root, token)
		if err != nil {
			return faces, err
		}
		if f == nil { // it is not asked for
			continue
		}
		faces = append(faces, f)
		for _, pattern := range f.below {
			mux.Handle(pattern, f.handler)
		}
	}
	return faces, nil
}

// announce says where the server is, and what it means that it is there.
func (s *server) announce(faces []*face) {
	switch {
	case s.box.Netless():
		note("code that is sent here runs as you in bubblewrap: it writes to --root alone, reads what you can read but for usual places of secrets, and has no network")
	case s.box.On():
		note("code that is sent here runs as you in bubblewrap: it writes to --root alone, reads what you can read but for usual places of secrets, and has your network")
	default:
		note("code that is sent here runs as you, on this machine")
	}
	if s.open {
		note("no token is asked for: every user and program of this machine can run code as you")
	}
	for _, f := range faces {
		for _, address := range f.where {
			fmt.Println(address)
		}
	}
}

// scheme is that of the server's addresses.
func (s *server) scheme() string {
	if s.cert != "" {
		return "https"
	}
	return "http"
}

// addMetrics adds the listener for figures, where one is asked for.
func (s *server) addMetrics(to *serve.Server, faces []*face) error {
	if s.metrics == "" {
		return nil
	}
	ls, err := serve.Listen(s.metrics)
	if err != nil {
		return fmt.Errorf("--metrics %s cannot be used: %w", s.metrics, err)
	}
	to.Add(to.Metrics(func() []serve.Figure {
		var sums []serve.Figure
		at := map[string]int{}
		for _, f := range faces {
			for _, one := range f.figures() {
				if n, ok := at[one.Name]; ok {
					sums[n].Value += one.Value
					continue
				}
				at[one.Name] = len(sums)
				sums = append(sums, one)
			}
		}
		return sums
	}), ls...)
	return nil
}

// figuresOf are what every face tells.
func figuresOf(contexts, active int) []serve.Figure {
	return []serve.Figure{
		{Name: "nbterm_contexts", Help: "Contexts, each with a kernel.", Value: float64(contexts)},
		{Name: "nbterm_executions_active", Help: "Executions that run or wait.", Value: float64(active)},
	}
}
