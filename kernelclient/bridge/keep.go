package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge/journal"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// keeper keeps the logs of contexts on disk, so that a host process can take up what an
// earlier one left.
type keeper struct {
	dir   string // "" keeps nothing
	limit int64  // bytes of each log, 0 = no limit

	mu   sync.Mutex // guards open
	open map[kernelclient.ContextID]*journal.Journal
}

func newKeeper(dir string, limit int64) *keeper {
	return &keeper{dir: dir, limit: limit, open: map[kernelclient.ContextID]*journal.Journal{}}
}

// log begins the journal of a new context. A disk that refuses costs the journal, which
// followers are told, not the start.
func (k *keeper) log(info kernelclient.ContextInfo, spec kernelclient.StartSpec) (kernelclient.LogOptions, error) {
	if k.dir == "" || spec.Forget {
		return kernelclient.LogOptions{}, nil
	}
	j, err := journal.Create(filepath.Join(k.dir, string(info.ID)), journal.Meta{ID: string(info.ID), Spec: journal.SpecOf(spec)})
	if err != nil {
		return kernelclient.LogOptions{Record: refusing{err}, Limit: k.limit}, nil
	}
	return k.options(info.ID, j), nil
}

// options are those of a log that has a journal. What was stopped is not needed any more.
func (k *keeper) options(id kernelclient.ContextID, j *journal.Journal) kernelclient.LogOptions {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[id] = j
	return kernelclient.LogOptions{Record: j, Limit: k.limit, OnStop: func() {
		k.mu.Lock()
		delete(k.open, id)
		k.mu.Unlock()
		_ = j.Remove() // what is left of it is found by the next process, as a context that has ended
	}}
}

// settle waits until what the contexts have put out is on record.
func (s *Server) settle(ctx context.Context) {
	s.mu.Lock()
	var all sync.WaitGroup
	for _, k := range s.contexts {
		if l, ok := k.Context.(interface{ Recorded(context.Context) }); ok {
			all.Go(func() { l.Recorded(ctx) })
		}
	}
	s.mu.Unlock()
	all.Wait()
}

// close syncs all journals, for a process that ends and leaves its contexts.
func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.open {
		_ = j.Close() // a log that cannot be synced is as long as the disk has it
	}
}

// refusing is the Recorder of a log whose journal could not be made.
type refusing struct{ err error }

// Write implements kernelclient.Recorder.
func (r refusing) Write([]event.Event) error { return r.err }

// Describe implements kernelclient.Recorder.
func (r refusing) Describe(kernelclient.ContextInfo) error { return r.err }

// Compact implements kernelclient.Recorder.
func (r refusing) Compact(iter.Seq2[event.Event, error]) error { return r.err }

// adopt takes up what an earlier host process left. It is called once, before anything is
// started.
func (s *Server) adopt(ctx context.Context) {
	defer close(s.adopted)
	entries, err := os.ReadDir(s.keeper.dir)
	if s.opt.Adopt == nil || err != nil { // no folder: nothing was left
		return
	}
	var elsewhere sync.WaitGroup
	for _, entry := range entries {
		take := func() {
			if err := s.adoptFrom(ctx, filepath.Join(s.keeper.dir, entry.Name())); err != nil {
				s.opt.Log.Warn("a context could not be taken up", "context", entry.Name(), "err", err)
			}
		}
		meta, _ := journal.ReadMeta(filepath.Join(s.keeper.dir, entry.Name())) // what is wrong with it is told below
		if ctx.Err() != nil {
			break
		}
		if meta.Host != "" { // others do not wait for another machine's answer
			elsewhere.Go(take)
		} else {
			take()
		}
	}
	elsewhere.Wait()
}

func (s *Server) adoptFrom(ctx context.Context, dir string) error {
	meta, j, err := journal.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(dir) // its process was killed before the kernel was started
	}
	if err != nil {
		return err
	}
	info := meta.Info()
	spec := kernelclient.StartSpec{
		Kernel: meta.Spec.Kernel, Dir: meta.Spec.Dir, Session: meta.Spec.Session, Name: meta.Name,
		StartupTimeout: meta.Spec.StartupTimeout, RequestTimeout: meta.Spec.RequestTimeout,
	}
	opt := s.keeper.options(info.ID, j)
	opt.History = j.History
	empty := info.Name == "" && !anyOutput(j.History)
	c, host, err := s.opt.Adopt(ctx, Left{Info: info, Spec: spec, Log: opt, Env: environOf(info.PID)})
	if err != nil {
		return fmt.Errorf("%w; its journal stays", errors.Join(err, j.Close()))
	}
	k := &kept{Context: c, host: host, clients: visitors{}}
	if info.Name != "" {
		k.nonce = nameNonce(info.Name, info.Host)
	}
	s.opt.Log.Info("taken up", "context", info.ID, "state", c.Info().State.State)
	if c.Info().State.State == event.Dead && empty {
		return c.Stop(ctx, true) // nothing of it is of use to anybody
	}
	s.keep(k)
	return nil
}

// anyOutput tells whether a history has something that no file has.
func anyOutput(history iter.Seq[event.Event]) bool {
	for e := range history {
		switch e.Body.(type) {
		case event.Stream, event.Result, event.Display, event.Update, event.Error:
			return true
		}
	}
	return false
}

// Left is a context that an earlier host process left.
type Left struct {
	Info kernelclient.ContextInfo
	Spec kernelclient.StartSpec  // without an environment
	Log  kernelclient.LogOptions // with the history
	Env  []string                // of the kernel, or else of this process
}
