package e2b

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Host is one sandbox as a kernelclient.Host. A new sandbox is made when the first context
// needs it, so that nothing is paid for what nobody runs.
type Host struct {
	opt  Options
	http *http.Client

	pace *pace // nil: as usual

	boxing chan struct{} // has room for one: who is in it may set box

	mu       sync.Mutex // guards all below
	box      *sandbox
	contexts map[kernelclient.ContextID]*held
}

// held is a context of this host's own making or joining.
type held struct {
	kernelclient.Context
	driver *driver
}

var (
	_ kernelclient.Host    = (*Host)(nil)
	_ kernelclient.Adopter = (*Host)(nil)
)

// New returns the host. It connects to nothing yet. An address that is none is Invalid.
func New(opt Options) (*Host, error) {
	opt = opt.filled()
	if _, err := http.NewRequest(http.MethodGet, cmp.Or(opt.URL, opt.APIURL), nil); err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Invalid, What: "the code interpreter's address is not a URL"}
	}
	return &Host{opt: opt, http: opt.newHTTP(), boxing: make(chan struct{}, 1), contexts: map[kernelclient.ContextID]*held{}}, nil
}

// Kernels implements kernelclient.Host: the languages of the stock template, and those of
// contexts that a given interpreter has. It makes no sandbox.
func (h *Host) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []kernelclient.Kernel
	for _, name := range languages() {
		all = append(all, h.kernel(name))
	}
	if h.opt.Sandbox == "" && !h.opt.debug() {
		return all, nil
	}
	list, err := h.Contexts(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if !slices.ContainsFunc(all, func(k kernelclient.Kernel) bool { return k.Name == c.Kernel.Name }) {
			all = append(all, c.Kernel)
		}
	}
	return all, nil
}

// languages are those of the template that E2B makes sandboxes of.
func languages() []string { return []string{"python", "javascript", "typescript", "bash", "r", "java"} }

// kernel describes a language of the sandbox.
func (h *Host) kernel(name string) kernelclient.Kernel {
	name = wire.Language(name)
	k := kernelclient.Kernel{Name: name, Language: name, DisplayName: name, Found: h.address()}
	switch name {
	case "python", "bash", "java":
		k.DisplayName = strings.ToUpper(name[:1]) + name[1:]
	case "typescript":
		k.DisplayName = "TypeScript"
	case "javascript":
		k.DisplayName = "JavaScript"
	case "r":
		k.DisplayName, k.Language = "R", "R"
	}
	k.DisplayName += " (E2B)"
	return k
}

// address is what --host would have to say for this host now.
func (h *Host) address() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.box != nil {
		return h.opt.address(h.box.client.ID())
	}
	return h.opt.address(h.opt.Sandbox)
}

// Contexts implements kernelclient.Host: those that the sandbox has. One that this host
// does not hold has the id that the sandbox gives it, and its state is not known.
func (h *Host) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	if h.opt.Sandbox == "" && !h.opt.debug() && h.made() == nil {
		return nil, ctx.Err() // there is no sandbox yet
	}
	box, err := h.sandbox(ctx, 0)
	if err != nil {
		return nil, err
	}
	list, err := box.client.Contexts(ctx)
	if err != nil {
		return nil, box.explain(ctx, err)
	}
	mine := h.infos()
	out := make([]kernelclient.ContextInfo, 0, len(list))
	for _, c := range list {
		if i, ok := mine[box.remote(c.ID)]; ok {
			out = append(out, i)
			continue
		}
		out = append(out, h.info(box, kernelclient.ContextID(c.ID), c))
	}
	return out, nil
}

// info describes a context that others made.
func (h *Host) info(box *sandbox, id kernelclient.ContextID, c wire.Context) kernelclient.ContextInfo {
	return kernelclient.ContextInfo{
		ID: id, Kernel: h.kernel(c.Language), Dir: c.Cwd, Foreign: true, Host: h.opt.address(h.opt.Sandbox),
		Remote: box.remote(c.ID), Expires: box.expires(), State: event.State{State: event.Idle, Generation: 1},
	}
}

// infos are those of the contexts that this host holds, by their Remote.
func (h *Host) infos() map[string]kernelclient.ContextInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	infos := map[string]kernelclient.ContextInfo{}
	for _, c := range h.contexts {
		if i := c.Info(); i.Remote != "" {
			infos[i.Remote] = i
		}
	}
	return infos
}

// Start implements kernelclient.Host. StartSpec.Kernel is a language, and Dir a folder of
// the sandbox, "" for its home. A sandbox that is not there yet is made while the context
// is Starting. Of a language that the stock template lacks it waits for the sandbox's word.
func (h *Host) Start(ctx context.Context, start kernelclient.StartSpec) (kernelclient.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	language := wire.Language(start.Kernel)
	env, err := envVars(start.Env, language)
	if err != nil {
		return nil, err
	}
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(newID()), Kernel: h.kernel(language), Dir: start.Dir, Path: start.Session, Name: start.Name, Host: h.opt.address(h.opt.Sandbox),
	}
	d := newDriver(h, language, start.Dir, env)
	d.request = cmp.Or(start.RequestTimeout, h.opt.RequestTimeout)
	if !slices.Contains(languages(), language) {
		if err := d.prepare(ctx); err != nil {
			d.abandon()
			return nil, err
		}
	}
	return h.open(info, d, start)
}

// newID is a fresh id in the form that Jupyter's kernels have.
func newID() string {
	text := strings.ToLower(rand.Text() + rand.Text())
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:32]
}

// open makes a context of a driver and keeps account of it.
func (h *Host) open(info kernelclient.ContextInfo, d *driver, start kernelclient.StartSpec) (kernelclient.Context, error) {
	opt, err := h.opt.Log.For(info, start, h.opt.Forget)
	if err != nil {
		d.abandon()
		return nil, err
	}
	return h.openLog(info, d, opt), nil
}

func (h *Host) openLog(info kernelclient.ContextInfo, d *driver, opt kernelclient.LogOptions) kernelclient.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &held{kernelclient.OpenLog(info, d, opt.Stopped(func() { h.forget(info.ID) })), d}
	h.contexts[info.ID] = c
	return c.Context
}

func (h *Host) forget(id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.contexts, id)
}

// Attach implements kernelclient.Host: a context of this host by its id, or one of the
// sandbox by the id that it has there. Stopping that one only lets go of it, as whoever made
// it ends it; Remove ends it.
func (h *Host) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	h.mu.Lock()
	own := h.contexts[id]
	h.mu.Unlock()
	if own != nil {
		return own.Context, nil
	}
	box, c, err := h.find(ctx, id)
	if err != nil {
		return nil, err
	}
	box.use(1)
	d := newDriver(h, c.Language, c.Cwd, nil)
	d.box, d.id, d.foreign = box, c.ID, true
	return h.open(h.info(box, kernelclient.ContextID(newID()), c), d, kernelclient.StartSpec{Kernel: c.Language, Dir: c.Cwd})
}

// find looks a context up in the sandbox, by its id there or by a Remote.
func (h *Host) find(ctx context.Context, id kernelclient.ContextID) (*sandbox, wire.Context, error) {
	box, err := h.sandbox(ctx, 0)
	if err != nil {
		return nil, wire.Context{}, err
	}
	list, err := box.client.Contexts(ctx)
	if err != nil {
		return nil, wire.Context{}, box.explain(ctx, err)
	}
	for _, c := range list {
		if c.ID == string(id) || box.remote(c.ID) == string(id) {
			return box, c, nil
		}
	}
	return nil, wire.Context{}, &kernelclient.Error{
		Kind: kernelclient.NotFound, What: "the sandbox has no context " + string(id), Next: "`nbterm contexts list` shows those that it has",
	}
}

// Remove ends a context of the sandbox, whoever made it.
func (h *Host) Remove(ctx context.Context, id kernelclient.ContextID) error {
	h.mu.Lock()
	own := h.contexts[id]
	h.mu.Unlock()
	if own != nil {
		return own.Stop(ctx, false)
	}
	box, c, err := h.find(ctx, id)
	if err != nil {
		return err
	}
	return box.explain(ctx, box.client.Remove(ctx, c.ID))
}

// Restart gives a context of the sandbox a new kernel, whoever made it, and waits for it.
func (h *Host) Restart(ctx context.Context, id kernelclient.ContextID) error {
	h.mu.Lock()
	own := h.contexts[id]
	h.mu.Unlock()
	if own != nil {
		return own.Restart(ctx)
	}
	box, c, err := h.find(ctx, id)
	if err != nil {
		return err
	}
	return box.explain(ctx, box.client.Restart(ctx, c.ID))
}

// Adopt implements kernelclient.Adopter. What ran in the context was interrupted when its
// process ended, as its stream was closed. Where the sandbox or the context is no more it is
// Dead, and says why; no other takes its place.
func (h *Host) Adopt(ctx context.Context, a kernelclient.Adoption) (kernelclient.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	language := wire.Language(a.Info.Kernel.Name)
	env, err := envVars(a.Start.Env, language)
	if err != nil {
		return nil, err
	}
	d := newDriver(h, language, a.Info.Dir, env)
	d.request = cmp.Or(a.Start.RequestTimeout, h.opt.RequestTimeout)
	d.foreign, d.unsettled = a.Info.Foreign, time.Now()
	id, inside, known := strings.Cut(a.Info.Remote, "/")
	if !known {
		a.Log.Gone = &kernelclient.Error{Kind: kernelclient.Killed, What: "the process that made the sandbox ended before it knew it"}
		return h.openLog(a.Info, d, a.Log), nil
	}
	d.id, d.adopted, d.owner = inside, true, a.Info.Host == h.opt.address("")
	if h.opt.Sandbox == "" && !h.opt.debug() {
		h.opt.Sandbox = id
	}
	return h.openLog(a.Info, d, a.Log), nil
}

// Close implements kernelclient.Host. The sandbox that this host made is killed, unless it
// is to be kept, or has contexts that were let go of and are to go on.
func (h *Host) Close() error {
	defer h.http.CloseIdleConnections()
	box := h.made()
	switch {
	case box == nil || h.opt.Outlive && !box.unused():
	case !h.opt.Keep:
		return h.kill(box)
	case box.ours() && !box.isDead():
		h.warn(fmt.Sprintf("the sandbox %s is kept until %s; --host e2b:%s uses it again", box.client.ID(), box.expires().Local().Format("15:04:05"), box.client.ID()))
	}
	return nil
}
