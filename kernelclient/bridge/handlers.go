package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// list answers GET /contexts: the oldest first. Its fields id, kernel.name, dir, path, pid,
// started, state, clients and memory never change their meaning.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	out, memory := []contextWire{}, groupMemory()
	for _, k := range s.all() {
		d := s.whole(k)
		if d.PID > 0 { // else it runs elsewhere
			d.Memory = memory[d.PID] // a kernel leads a group of its own
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b contextWire) int { return a.Started.Compare(b.Started) })
	reply(w, out)
}

// stop answers POST /contexts/ID/stop. It goes on when the client goes away: half a stop
// would leave a kernel that nobody sees.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	var q stopRequest
	if r.ContentLength != 0 && !take(w, r, &q) {
		return
	}
	k, err := s.find(kernelclient.ContextID(r.PathValue("id")))
	if err == nil {
		err = s.end1(k, q)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, struct{}{})
}

// end1 stops one context.
func (s *Server) end1(k *kept, q stopRequest) error {
	ctx := context.Background()
	if q.Within > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(q.Within)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	err := k.Stop(ctx, q.Force)
	s.drop(k)
	s.opt.Log.Info("stopped", "context", k.Info().ID, "err", err)
	return err
}

// stopAll answers POST /stop: every context is stopped, then the process ends if it is only
// for them.
func (s *Server) stopAll(w http.ResponseWriter, r *http.Request) {
	var q stopRequest
	if r.ContentLength != 0 && !take(w, r, &q) {
		return
	}
	contexts := s.all()
	errs := make([]error, len(contexts))
	var stops sync.WaitGroup
	for i, k := range contexts {
		stops.Go(func() { errs[i] = s.end1(k, q) })
	}
	stops.Wait()
	if err := errors.Join(errs...); err != nil {
		refuse(w, err)
	} else {
		reply(w, struct{}{})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opt.Stay {
		s.end()
	}
}

func (s *Server) around(q kernelsRequest) Surroundings {
	return Surroundings{Env: q.Env, Dir: q.Dir, Target: q.Target, Log: s.keeper.log}
}

func (s *Server) kernels(w http.ResponseWriter, r *http.Request) {
	var q kernelsRequest
	if !take(w, r, &q) {
		return
	}
	host, err := s.opt.Host(s.around(q))
	if err != nil {
		refuse(w, err)
		return
	}
	defer host.Close()
	list, err := host.Kernels(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	out := make([]kernelWire, len(list))
	for i, k := range list {
		out[i] = kernelWire(k)
	}
	reply(w, out)
}

func (s *Server) runningKernels(w http.ResponseWriter, r *http.Request) {
	var q kernelsRequest
	if !take(w, r, &q) {
		return
	}
	host, err := s.opt.Host(s.around(q))
	if err != nil {
		refuse(w, err)
		return
	}
	defer host.Close()
	joiner, err := kernelclient.JoinerOf(host)
	var list []kernelclient.Running
	if err == nil {
		list, err = joiner.Running(r.Context())
	}
	if err != nil {
		refuse(w, err)
		return
	}
	mine := map[string]bool{}
	for _, k := range s.all() {
		mine[k.Info().ConnFile] = true
	}
	out := []runningWire{}
	for _, k := range list {
		if !mine[k.File] {
			out = append(out, runningWire{File: k.File, Kernel: kernelWire(k.Kernel), Path: k.Path, PID: k.PID, Started: k.Started})
		}
	}
	reply(w, out)
}

func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	var q startRequest
	if !take(w, r, &q) {
		return
	}
	k, err := s.started(r.Context(), q)
	if err != nil {
		refuse(w, err)
		return
	}
	s.attach(k, w, r)
}

// started makes a context, or finds the one that the same request made before.
func (s *Server) started(ctx context.Context, q startRequest) (*kept, error) {
	for {
		s.mu.Lock()
		k, begun := s.nonces[q.Nonce], s.starting[q.Nonce]
		if k == nil && begun == nil {
			if n := len(s.contexts) + len(s.starting); s.opt.MaxContexts > 0 && n >= s.opt.MaxContexts {
				s.mu.Unlock()
				return nil, &kernelclient.Error{
					Kind: kernelclient.RateLimited, What: fmt.Sprintf("the server has %d contexts, and takes no more", n), Next: "`nbterm stop ID` ends one",
				}
			}
			begun = make(chan struct{})
			s.starting[q.Nonce] = begun
			s.mu.Unlock()
			return s.startNew(ctx, q, begun)
		}
		s.mu.Unlock()
		if k != nil {
			return k, nil
		}
		select {
		case <-begun: // the context is there, or the start failed and it is our turn
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// startNew makes a context and closes over then. Others start meanwhile: a host elsewhere
// may take its time.
func (s *Server) startNew(ctx context.Context, q startRequest, over chan struct{}) (*kept, error) {
	defer func() {
		s.mu.Lock()
		delete(s.starting, q.Nonce)
		s.mu.Unlock()
		close(over)
	}()
	host, err := s.opt.Host(s.around(q.kernelsRequest))
	if err != nil {
		return nil, err
	}
	c, err := startOn(ctx, host, q)
	s.opt.Log.Info("start", "kernel", q.Spec.Kernel, "dir", q.Spec.Dir, "err", err)
	if err != nil {
		_ = host.Close() // it has no context
		return nil, err
	}
	k := &kept{Context: c, host: host, nonce: q.Nonce, clients: visitors{}}
	s.keep(k)
	return k, nil
}

func startOn(ctx context.Context, host kernelclient.Host, q startRequest) (kernelclient.Context, error) {
	if q.Existing == "" {
		return host.Start(ctx, kernelclient.StartSpec(q.Spec))
	}
	joiner, err := kernelclient.JoinerOf(host)
	if err != nil {
		return nil, err
	}
	return joiner.Existing(ctx, q.Existing, kernelclient.StartSpec(q.Spec))
}

func (s *Server) attach(k *kept, w http.ResponseWriter, r *http.Request) {
	s.arrived(k, r)
	reply(w, s.whole(k))
}

// did answers a request that changed a context: with its description, or why not.
func (s *Server) did(k *kept, w http.ResponseWriter, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, s.describe(k))
}

func (s *Server) submit(k *kept, w http.ResponseWriter, r *http.Request) {
	var q requestWire
	if take(w, r, &q) {
		s.did(k, w, k.Submit(r.Context(), kernelclient.Request(q)))
	}
}

func (s *Server) cancel(k *kept, w http.ResponseWriter, r *http.Request) {
	var q cancelRequest
	if take(w, r, &q) {
		s.did(k, w, k.Cancel(r.Context(), q.Exec))
	}
}

func (s *Server) interrupt(k *kept, w http.ResponseWriter, r *http.Request) {
	s.did(k, w, k.Interrupt(r.Context()))
}

func (s *Server) answer(k *kept, w http.ResponseWriter, r *http.Request) {
	var q answerRequest
	if take(w, r, &q) {
		s.did(k, w, k.Answer(r.Context(), q.Input, q.Line))
	}
}

func (s *Server) restart(k *kept, w http.ResponseWriter, r *http.Request) {
	s.did(k, w, k.Restart(r.Context()))
}

func (s *Server) saved(k *kept, w http.ResponseWriter, r *http.Request) {
	var q markWire
	if take(w, r, &q) {
		s.did(k, w, k.Saved(r.Context(), q.mark()))
	}
}

func (s *Server) ask(k *kept, w http.ResponseWriter, r *http.Request) {
	var q askRequest
	if !take(w, r, &q) {
		return
	}
	asker := k.Ask()
	if asker == nil {
		refuse(w, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "this kernel cannot be asked"})
		return
	}
	var answer any
	var err error
	switch q.What {
	case askComplete:
		answer, err = asker.Complete(r.Context(), q.Code, q.Cursor)
	case askInspect:
		var i kernelclient.Inspection
		i, err = asker.Inspect(r.Context(), q.Code, q.Cursor, q.Detail)
		answer = inspectionWire{Found: i.Found, Data: string(event.AppendBundle(nil, i.Data))}
	case askIsComplete:
		answer, err = asker.IsComplete(r.Context(), q.Code)
	case askHistory:
		answer, err = asker.History(r.Context(), q.Query)
	case askFolder:
		var dir string
		dir, err = kernelclient.FolderOf(r.Context(), asker)
		answer = []byte(dir)
	default:
		err = &kernelclient.Error{Kind: kernelclient.Protocol, What: "unknown question " + q.What}
	}
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, answer)
}
