package e2bface

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// Files is the file service of one sandbox.
type Files interface {
	http.Handler
	Close() error
}

// Options are for New.
type Options struct {
	// Host starts the kernels. The face does not close it.
	Host kernelclient.Host
	// Root is the home of the sandbox that is always there, absolute.
	Root string
	// Sandboxes is the folder in which further sandboxes get theirs; "" refuses to make any.
	Sandboxes string
	// Env is what kernels are started in, K=V: variables of an execution are set back to it.
	Env []string
	// Token is what the callers have to know. It may be empty only with NoAuth.
	Token  string
	NoAuth bool
	// Files makes a file service for a folder; nil: there is none. token is what it asks for,
	// "" for nothing.
	Files func(root, token string) (Files, error)
	// MaxContexts bounds how many contexts there may be in all sandboxes; 0 = no limit.
	MaxContexts int
	// Startup is how long a kernel may take to start; 0 = no limit.
	Startup time.Duration
	// Log takes what no client can be told; nothing of code, output or secrets.
	Log *slog.Logger
}

// A Face serves sandboxes over HTTP/1.1. It is used from any goroutine.
type Face struct {
	opt  Options
	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup // what goes on behind an answer's end

	mu       sync.Mutex // guards all below
	boxes    map[string]*sandbox
	contexts int
	active   int // executions under way
	executed int
	closed   bool
}

// New makes a face with its first sandbox, whose contexts of Python and JavaScript begin to
// start. Close ends them.
func New(opt Options) (*Face, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	f := &Face{opt: opt, life: life, end: end, boxes: map[string]*sandbox{}}
	token := opt.Token
	if opt.NoAuth {
		token = ""
	}
	first, err := f.newSandbox("", opt.Root, nil, token, token)
	if err != nil {
		end()
		return nil, err
	}
	f.boxes[""] = first
	first.begin()
	return f, nil
}

// Close ends all executions, telling their clients, and all contexts, and waits until they
// have ended. Kernels get as long as ctx lasts to end by themselves.
func (f *Face) Close(ctx context.Context) {
	f.mu.Lock()
	f.closed = true
	var boxes []*sandbox
	for _, b := range f.boxes {
		boxes = append(boxes, b)
	}
	f.mu.Unlock()
	f.end()
	var all sync.WaitGroup
	for _, b := range boxes {
		all.Go(func() { b.close(ctx, false) })
	}
	all.Wait()
	f.wg.Wait()
}

// Counts are figures for whoever watches a server.
type Counts struct{ Sandboxes, Contexts, Active, Executed int }

// Counts tells what there is now; Executed is since the start.
func (f *Face) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Counts{Sandboxes: len(f.boxes), Contexts: f.contexts, Active: f.active, Executed: f.executed}
}

// takePlace counts one more context, if there may be one.
func (f *Face) takePlace() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.opt.MaxContexts > 0 && f.contexts >= f.opt.MaxContexts {
		return false
	}
	f.contexts++
	return true
}

func (f *Face) leavePlace() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.contexts--
}

// executing counts an execution until the function that it returns is called.
func (f *Face) executing() func() {
	f.mu.Lock()
	f.active++
	f.executed++
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		f.active--
		f.mu.Unlock()
	}
}

// environ is the value that a variable has where no execution sets it.
func environ(env []string, key string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(env[i], "="); k == key {
			return v, true
		}
	}
	return "", false
}
