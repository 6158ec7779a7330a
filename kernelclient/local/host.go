package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/builtin"
	"github.com/nbterm/nbterm/kernelclient/isolate"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Options are for New. The zero value is ready.
type Options struct {
	// Dir is where .venv and venv are looked for, there and above: the notebook's folder.
	// "" is the current one.
	Dir string
	// Env is the environment to search and start kernels in, K=V; nil is this process's own.
	Env []string
	// LogDir is the folder for what kernels write outside of cells. "" is nbterm's log folder.
	LogDir string
	// TCP starts kernels over tcp at once, not over ipc.
	TCP bool
	// Plain starts kernels exactly as their kernelspecs say. Else ipykernel is told to drop
	// no output when this program is slower than it.
	Plain bool
	// Forget is StartSpec.Forget for all contexts: whoever made this host is the only one
	// who follows them, and they end with it.
	Forget bool
	// Outlive starts kernels that do not end with this process. Adopt finds them again. The
	// built-in ones always end with it: they live on its pipes.
	Outlive bool
	// Box is where kernels run; nil: as this process does. Box.Try is the caller's.
	Box *isolate.Box
	// Log, if not nil, says how the log of a context that Start makes is kept.
	Log kernelclient.LogMaker
}

// Host is this machine as a kernelclient.Host. Its contexts are those that it started.
type Host struct {
	opt Options

	mu       sync.Mutex // guards all below
	contexts map[kernelclient.ContextID]kernelclient.Context
	kernels  map[*kernel]kernelclient.ContextID
}

var (
	_ kernelclient.Host    = (*Host)(nil)
	_ kernelclient.Adopter = (*Host)(nil)
)

// New returns the host. It looks at nothing yet.
func New(opt Options) *Host {
	return &Host{
		opt: opt, contexts: map[kernelclient.ContextID]kernelclient.Context{},
		kernels: map[*kernel]kernelclient.ContextID{},
	}
}

// RuntimeDir is where this user's connection files lie.
func RuntimeDir() string { return environ(os.Environ()).runtimeDir() }

func (h *Host) env() environ {
	if h.opt.Env != nil {
		return h.opt.Env
	}
	return os.Environ()
}

// dir is the folder to search from; start's own counts where the host was given none.
func (h *Host) dir(start string) string {
	for _, d := range []string{h.opt.Dir, start, "."} {
		if d != "" {
			if abs, err := filepath.Abs(d); err == nil {
				return abs
			}
		}
	}
	return ""
}

// Kernels implements kernelclient.Host. The nearest come first, and of several kernels of
// one name the one that Start takes. No process is started.
func (h *Host) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return kernelsOf(search(h.env(), h.dir(""))), nil
}

func kernelsOf(specs []spec) []kernelclient.Kernel {
	kernels := make([]kernelclient.Kernel, len(specs))
	for i := range specs {
		kernels[i] = specs[i].kernel()
	}
	return kernels
}

// Contexts implements kernelclient.Host.
func (h *Host) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	infos := make([]kernelclient.ContextInfo, 0, len(h.contexts))
	for _, c := range h.contexts {
		infos = append(infos, c.Info())
	}
	slices.SortFunc(infos, func(a, b kernelclient.ContextInfo) int { return a.Started.Compare(b.Started) })
	return infos, nil
}

// Start implements kernelclient.Host. An unknown kernel and one that is broken are errors
// at once; what only starting it can show is told by a State event.
func (h *Host) Start(ctx context.Context, start kernelclient.StartSpec) (kernelclient.Context, error) {
	s, err := h.choose(ctx, &start)
	if err != nil {
		return nil, err
	}
	info := kernelclient.ContextInfo{ID: kernelclient.ContextID(newID()), Kernel: s.kernel(), Dir: start.Dir, Path: start.Session, Name: start.Name}
	return h.open(info, h.driver(info.ID, s, start), start)
}

// choose finds the kernel that start names, and its working folder where start has none.
func (h *Host) choose(ctx context.Context, start *kernelclient.StartSpec) (spec, error) {
	if err := ctx.Err(); err != nil {
		return spec{}, err
	}
	if err := usable(start, h.dir("")); err != nil {
		return spec{}, err
	}
	return pick(search(h.env(), h.dir(start.Dir)), start.Kernel)
}

// open makes a context of a driver and keeps account of it.
func (h *Host) open(info kernelclient.ContextInfo, d kernelclient.Driver, start kernelclient.StartSpec) (kernelclient.Context, error) {
	opt, err := h.opt.Log.For(info, start, h.opt.Forget)
	if err != nil {
		return nil, err
	}
	return h.openLog(info, d, opt), nil
}

func (h *Host) openLog(info kernelclient.ContextInfo, d kernelclient.Driver, opt kernelclient.LogOptions) kernelclient.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := kernelclient.OpenLog(info, d, opt.Stopped(func() { h.forget(info.ID) }))
	h.contexts[info.ID] = c
	return c
}

func (h *Host) driver(id kernelclient.ContextID, s spec, start kernelclient.StartSpec) kernelclient.Driver {
	if s.shell != "" {
		return builtin.NewShellDriver(builtin.ShellOptions{Shell: s.shell, Dir: start.Dir, Env: h.env().with(start.Env...), Box: h.opt.Box.In(start.Root)})
	}
	return jupyter.NewDriver(h.launcher(id, s, start), h.driverOptions(id, start))
}

func (h *Host) driverOptions(id kernelclient.ContextID, start kernelclient.StartSpec) jupyter.DriverOptions {
	return jupyter.DriverOptions{RequestTimeout: start.RequestTimeout, Session: string(id)}
}

func (h *Host) launcher(id kernelclient.ContextID, s spec, start kernelclient.StartSpec) jupyter.Launcher {
	env, logs := h.envOf(s), h.logs()
	if s.builtin {
		return sweeping{builtin.NewPythonLauncher(builtin.PythonOptions{
			Python: s.python.path, Dir: start.Dir, Env: env.with(start.Env...), Session: start.Session,
			LogDir: logs, CacheDir: env.cacheDir(), IPython: s.name == kernelclient.BuiltinIPython,
			Box: h.opt.Box.In(start.Root),
		}), env, logs}
	}
	return sweeping{h.external(id, s, start), env, logs}
}

// external launches a kernel that is a program of its own.
func (h *Host) external(id kernelclient.ContextID, s spec, start kernelclient.StartSpec) *launcher {
	l := &launcher{
		spec: s, start: start, env: h.envOf(s), all: environments(h.env(), h.dir(start.Dir)), logs: h.logs(), tcp: h.opt.TCP, plain: h.opt.Plain,
		own: func(k *kernel) { h.own(k, id) }, outlive: h.opt.Outlive,
		box: h.opt.Box.In(start.Root),
	}
	if s.file.isIpykernel() && h.opt.Outlive {
		// A later process gets the answers to this one's requests by connecting under the same
		// name. ipykernel allows that (ROUTER_HANDOVER); other kernels would not hear it at all.
		l.identity = string(id)
	}
	return l
}

// envOf is the environment to start a kernel in.
func (h *Host) envOf(s spec) environ {
	if s.other {
		return s.python.activate(h.env())
	}
	return h.env()
}

// logs is the folder of the kernels' logs.
func (h *Host) logs() string {
	if h.opt.LogDir != "" {
		return h.opt.LogDir
	}
	return h.env().logDir()
}

// own keeps account of a kernel until it is freed.
func (h *Host) own(k *kernel, id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kernels[k] = id
	k.disown = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.kernels, k)
	}
}

func (h *Host) forget(id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.contexts, id)
}

// pick finds the kernel of a name, a good one before a broken one.
func pick(specs []spec, name string) (spec, error) {
	var broken *spec
	for i, s := range specs {
		switch {
		case !strings.EqualFold(s.name, name):
		case s.broken == "":
			return s, nil
		case broken == nil:
			broken = &specs[i]
		}
	}
	what := fmt.Sprintf("kernel %q is not installed", name)
	if broken != nil {
		what = fmt.Sprintf("kernel %q cannot be started: %s", name, broken.broken)
	}
	return spec{}, &kernelclient.Error{Kind: kernelclient.NotFound, What: what, Next: "nbterm kernels lists what there is"}
}

// Attach implements kernelclient.Host.
func (h *Host) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c, ok := h.contexts[id]; ok {
		return c, nil
	}
	return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: fmt.Sprintf("no kernel with the id %q runs here", id)}
}

// Close implements kernelclient.Host. Contexts go on, at most as long as this process.
// Kernels whose contexts were closed without being stopped end here, as nobody can reach
// them, except those that outlive this process.
func (h *Host) Close() error {
	h.mu.Lock()
	var left []*kernel
	for k, id := range h.kernels {
		if h.contexts[id] == nil {
			left = append(left, k)
		}
	}
	h.mu.Unlock()
	now, cancel := context.WithCancel(context.Background())
	cancel()
	var errs []error
	for _, k := range left {
		if h.opt.Outlive {
			k.leave()
			continue
		}
		errs = append(errs, k.Stop(now))
	}
	return errors.Join(errs...)
}
