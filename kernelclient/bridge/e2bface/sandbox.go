package e2bface

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// sandboxHome is where E2B's sandboxes have their files. On a machine that has no such
// folder it is another name for the sandbox's own.
const sandboxHome = "/home/user"

var (
	errFull   = errors.New("there are as many contexts as this server allows")
	errClosed = errors.New("the sandbox has ended")
)

// sandbox is a set of contexts.
type sandbox struct {
	face    *Face
	id      string
	root    string
	env     []string // beside the face's
	traffic string   // the token of calls of the code interpreter, "" for none
	access  string   // and that of the file service
	files   Files    // nil: there is none
	own     bool     // root is removed at the end
	made    order    // what it was asked to be
	started time.Time
	life    context.Context
	end     context.CancelFunc

	ends  time.Time   // guarded by the face's mu: when its time is over
	timer *time.Timer // likewise; nil for the one that is always there

	mu       sync.Mutex // guards all below
	contexts []*codeContext
	asked    int                 // how many contexts were asked for
	defaults map[string]*pending // by language
	closed   bool
}

// pending is the default context of a language, made once for all who ask for it.
type pending struct {
	done    chan struct{}
	context *codeContext
	err     error
}

func (f *Face) newSandbox(id, root string, env map[string]string, traffic, access string) (*sandbox, error) {
	b := &sandbox{face: f, id: id, root: root, traffic: traffic, access: access, defaults: map[string]*pending{}}
	for _, k := range slices.Sorted(maps.Keys(env)) {
		b.env = append(b.env, k+"="+env[k])
	}
	if f.opt.Files != nil {
		files, err := f.opt.Files(root, access)
		if err != nil {
			return nil, err
		}
		b.files = files
	}
	b.life, b.end = context.WithCancel(f.life)
	return b, nil
}

// begin starts the contexts that are there from the start. A language without a kernel is
// left out.
func (b *sandbox) begin() {
	for _, language := range []string{"python", "javascript"} {
		p := b.pend(language) // in this order
		b.face.wg.Go(func() {
			if _, err := p.wait(b.life); err != nil && b.life.Err() == nil {
				b.face.opt.Log.Warn("a default context is left out", "language", language, "error", err)
			}
		})
	}
}

// byLanguage is the default context of a language, which is made where there is none.
func (b *sandbox) byLanguage(ctx context.Context, language string) (*codeContext, error) {
	return b.pend(language).wait(ctx)
}

// pend begins to make the default context of a language where there is none.
func (b *sandbox) pend(language string) *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.defaults[language]; p != nil {
		return p
	}
	p := &pending{done: make(chan struct{})}
	b.defaults[language] = p
	b.asked++
	turn := b.asked
	b.face.wg.Go(func() {
		c, err := b.create(b.life, turn, wire.ContextRequest{Language: language})
		b.mu.Lock()
		p.context, p.err = c, err
		if err != nil { // the next one tries again
			delete(b.defaults, language)
		}
		b.mu.Unlock()
		close(p.done)
	})
	return p
}

func (p *pending) wait(ctx context.Context) (*codeContext, error) {
	select {
	case <-p.done:
		return p.context, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// turn is the place of the next context in the list.
func (b *sandbox) turn() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	return b.asked
}

// byID finds a context; "default" is Python's.
func (b *sandbox) byID(ctx context.Context, id string) (*codeContext, error) {
	if id == "default" {
		return b.byLanguage(ctx, "python")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.contexts {
		if c.id == id {
			return c, nil
		}
	}
	return nil, nil
}

// create starts a context and waits until it is ready. turn is its place among others,
// which may be ready sooner.
func (b *sandbox) create(ctx context.Context, turn int, q wire.ContextRequest) (*codeContext, error) {
	language := wire.Language(q.Language)
	kernel, err := b.kernel(ctx, language)
	if err != nil {
		return nil, err
	}
	if !b.face.takePlace() {
		return nil, errFull
	}
	c, err := b.start(ctx, kernel, language, q.Cwd)
	if err != nil {
		b.face.leavePlace()
		return nil, err
	}
	c.turn = turn
	b.mu.Lock()
	closed := b.closed
	if !closed {
		b.contexts = append(b.contexts, c)
		slices.SortFunc(b.contexts, func(x, y *codeContext) int { return x.turn - y.turn })
	}
	b.mu.Unlock()
	if closed {
		c.stop(ctx)
		b.face.leavePlace()
		return nil, errClosed
	}
	return c, nil
}

// folder is where code runs that asked for cwd, and whether that is another place.
func (b *sandbox) folder(cwd string) (dir string, other bool) {
	isDir := func(p string) bool { fi, err := os.Stat(p); return err == nil && fi.IsDir() }
	switch {
	case cwd == "" || cwd == sandboxHome && !isDir(cwd):
		return b.root, false
	case !filepath.IsAbs(cwd):
		cwd = filepath.Join(b.root, cwd)
	}
	if isDir(cwd) {
		return cwd, false
	}
	return b.root, true
}

// unknownError says that there is no kernel, as the text of Jupyter's own error.
type unknownError struct{ name string }

func (e *unknownError) Error() string {
	text := "The '" + e.name + "' kernel is not available. Please pick another suitable kernel instead, or install that kernel."
	quoted := func(s string) string { q, _ := wire.Encode(s); return string(q) } // a string can always be written
	return `{"message": ` + quoted(text) + `, "short_message": ` + quoted(e.name+" not found") + `}`
}

// kernel chooses the kernel of a language: one that Jupyter would find before a built-in
// one. What is no language is a kernel's name.
func (b *sandbox) kernel(ctx context.Context, language string) (string, error) {
	kernels, err := b.face.opt.Host.Kernels(ctx)
	if err != nil {
		return "", err
	}
	rank := func(k kernelclient.Kernel) int {
		builtin := k.Name == kernelclient.BuiltinPython || k.Name == kernelclient.BuiltinIPython || k.Name == kernelclient.BuiltinShell
		switch {
		case k.Broken != "" || k.Elsewhere:
			return 0
		case wire.Language(k.Language) == language && !builtin:
			return 5
		case k.Name == language:
			return 4
		case scripts(language) && scripts(wire.Language(k.Language)):
			return 3 // one kernel takes both
		case k.Name == kernelclient.BuiltinIPython && language == "python":
			return 2
		case wire.Language(k.Language) == language:
			return 1
		}
		return 0
	}
	// Of equal ones the first is the nearest.
	name, best := "", 0
	for _, k := range kernels {
		if n := rank(k); k.Language != "" && n > best {
			name, best = k.Name, n
		}
	}
	if best == 0 {
		return "", &unknownError{language}
	}
	return name, nil
}

// scripts tells whether a language is JavaScript, with or without types.
func scripts(language string) bool { return language == "javascript" || language == "typescript" }

// list is what contexts there are, in the order of their making. Those that are about to be
// there are waited for.
func (b *sandbox) list(ctx context.Context) []wire.Context {
	b.mu.Lock()
	waits := slices.Collect(maps.Values(b.defaults))
	b.mu.Unlock()
	for _, p := range waits {
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []wire.Context{}
	for _, c := range b.contexts {
		out = append(out, c.described())
	}
	return out
}

// remove ends a context.
func (b *sandbox) remove(ctx context.Context, c *codeContext) bool {
	b.mu.Lock()
	n := len(b.contexts)
	b.contexts = slices.DeleteFunc(b.contexts, func(have *codeContext) bool { return have == c })
	found := len(b.contexts) < n
	maps.DeleteFunc(b.defaults, func(_ string, p *pending) bool { return p.context == c })
	b.mu.Unlock()
	if found {
		close(c.removed)
		c.stop(ctx)
		b.face.leavePlace()
	}
	return found
}

// close ends the sandbox. With cut its clients' connections break, as those of a machine
// that is no more.
func (b *sandbox) close(ctx context.Context, cut bool) {
	b.face.mu.Lock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.face.mu.Unlock()
	b.mu.Lock()
	b.closed = true
	contexts := slices.Clone(b.contexts)
	b.contexts = nil
	b.mu.Unlock()
	for _, c := range contexts {
		if cut {
			c.cut()
		}
		close(c.removed)
	}
	b.end()
	var all sync.WaitGroup
	for _, c := range contexts {
		all.Go(func() {
			c.stop(ctx)
			b.face.leavePlace()
		})
	}
	all.Wait()
	var err error
	if b.files != nil {
		err = b.files.Close()
	}
	if b.own {
		err = cmp.Or(err, os.RemoveAll(b.root))
	}
	if err != nil {
		b.face.opt.Log.Warn("a sandbox left something behind", "sandbox", b.id, "error", err)
	}
}
