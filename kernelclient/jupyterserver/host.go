package jupyterserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Host is a Jupyter Server as a kernelclient.Host. Its contexts are all kernels of the
// server; those that this Host started end with their Stop, others with nothing here.
type Host struct {
	client  *client
	opt     Options
	orphans *orphans

	mu       sync.Mutex // guards contexts
	contexts map[kernelclient.ContextID]entry
}

// entry is a context that this Host made.
type entry struct {
	kernelclient.Context
	launcher *launcher
}

var (
	_ kernelclient.Host    = (*Host)(nil)
	_ kernelclient.Adopter = (*Host)(nil)
)

// New returns the host. It connects to nothing yet. An address or a file of certificates
// that cannot be used is Invalid.
func New(opt Options) (*Host, error) {
	c, err := newClient(opt)
	if err != nil {
		return nil, err
	}
	return &Host{client: c, opt: opt, orphans: newOrphans(), contexts: map[kernelclient.ContextID]entry{}}, nil
}

// Address is the server's base address, without anything secret.
func (h *Host) Address() string { return h.client.at.String() }

// Kernels implements kernelclient.Host. The server's default comes first.
func (h *Host) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	specs, err := h.client.specs(ctx)
	if err != nil {
		return nil, err
	}
	return h.client.kernelsOf(specs), nil
}

// Contexts implements kernelclient.Host: all kernels of the server. The ID of one that this
// Host did not start is the server's.
func (h *Host) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	kernels, err := h.client.kernels(ctx)
	if errors.Is(err, kernelclient.Unauthenticated) {
		if _, known := h.client.specs(ctx); known == nil { // it knows who asks: gateways keep their list to themselves
			return h.own(), &kernelclient.Error{
				Kind: kernelclient.Permission, What: "the server at " + h.Address() + " does not tell which kernels it runs",
				Next: "a gateway has a setting for that, list_kernels",
			}
		}
	}
	if err != nil {
		return nil, err
	}
	sessions, _ := h.client.sessions(ctx) // only for names; some gateways have none
	infos := h.own()
	for _, k := range kernels {
		if !slices.ContainsFunc(infos, func(i kernelclient.ContextInfo) bool { return i.Remote == k.ID }) {
			infos = append(infos, h.info(k, sessions))
		}
	}
	return infos, nil
}

// own are the contexts that this Host made.
func (h *Host) own() []kernelclient.ContextInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	var infos []kernelclient.ContextInfo
	for _, c := range h.contexts {
		infos = append(infos, c.Info())
	}
	slices.SortFunc(infos, func(a, b kernelclient.ContextInfo) int { return a.Started.Compare(b.Started) })
	return infos
}

// info describes a kernel that another program started.
func (h *Host) info(k kernelModel, sessions []sessionModel) kernelclient.ContextInfo {
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(k.ID), Kernel: kernelclient.Kernel{Name: k.Name, Found: h.Address()},
		Foreign: true, Host: h.Address(), Remote: k.ID, State: stateOf(k), Clients: k.Connections,
	}
	for _, s := range sessions {
		if s.Kernel.ID == k.ID {
			info.Name, info.Path = s.Name, s.Path
		}
	}
	if info.State.State == event.Busy {
		info.Running = 1
	}
	return info
}

// Start implements kernelclient.Host. An unknown kernel, and a server that cannot be
// reached or does not let us in, are errors at once. Dir is a folder there, relative to the
// server's root or, for Python alone, absolute; so are further variables. Session is the notebook's address where the server has the notebook itself.
func (h *Host) Start(ctx context.Context, start kernelclient.StartSpec) (kernelclient.Context, error) {
	specs, err := h.client.specs(ctx)
	if err != nil {
		return nil, err
	}
	k, err := h.pick(specs, start.Kernel)
	if err != nil {
		return nil, err
	}
	start.Kernel = k.Name
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(newID()), Kernel: k, Dir: start.Dir, Path: start.Session, Name: start.Name, Host: h.Address(),
	}
	l := h.launcher(info.ID, start)
	return h.open(info, l, jupyter.DriverOptions{RequestTimeout: start.RequestTimeout, Session: string(info.ID), Prepare: l.prepare}, start)
}

// pick finds the kernel of a name, "" being the server's default.
func (h *Host) pick(specs specsModel, name string) (kernelclient.Kernel, error) {
	if name == "" {
		name = specs.Default
	}
	for _, k := range h.client.kernelsOf(specs) {
		if strings.EqualFold(k.Name, name) {
			return k, nil
		}
	}
	return kernelclient.Kernel{}, &kernelclient.Error{
		Kind: kernelclient.NotFound, What: fmt.Sprintf("the Jupyter server at %s has no kernel %q", h.Address(), name),
		Next: "nbterm kernels --host lists what it has",
	}
}

func (h *Host) launcher(id kernelclient.ContextID, start kernelclient.StartSpec) *launcher {
	return &launcher{
		client: h.client, start: start, env: kernelEnv(h.opt.environ(), start.Env), file: h.remotePath(start.Session),
		session: string(id), orphans: h.orphans,
	}
}

// remotePath is the path of a notebook on the server, "" for one that lies elsewhere.
func (h *Host) remotePath(session string) string {
	if !strings.HasPrefix(session, "http://") && !strings.HasPrefix(session, "https://") {
		return ""
	}
	path, _ := strings.CutPrefix(session, h.Address()+"/")
	return path
}

// open makes a context of a launcher and keeps account of it.
func (h *Host) open(info kernelclient.ContextInfo, l *launcher, d jupyter.DriverOptions, start kernelclient.StartSpec) (kernelclient.Context, error) {
	opt, err := h.opt.Log.For(info, start, h.opt.Forget)
	if err != nil {
		return nil, err
	}
	return h.openLog(info, l, d, opt), nil
}

func (h *Host) openLog(info kernelclient.ContextInfo, l *launcher, d jupyter.DriverOptions, opt kernelclient.LogOptions) kernelclient.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := kernelclient.OpenLog(info, jupyter.NewDriver(l, d), opt.Stopped(func() { h.forget(info.ID) }))
	h.contexts[info.ID] = entry{c, l}
	return c
}

func (h *Host) forget(id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.contexts, id)
}

// Attach implements kernelclient.Host, for every kernel of the server. It may be restarted
// from here; its end is its owner's affair.
func (h *Host) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	h.mu.Lock()
	for own, c := range h.contexts {
		if own == id || c.launcher.kernelID() == string(id) {
			h.mu.Unlock()
			return c.Context, nil
		}
	}
	h.mu.Unlock()
	k, err := h.find(ctx, id)
	if err != nil {
		return nil, err
	}
	sessions, _ := h.client.sessions(ctx) // only for its name
	info := h.info(k, sessions)
	info.State, info.Running, info.Clients = event.State{}, 0, 0 // the log's affair
	start := kernelclient.StartSpec{Kernel: k.Name, RequestTimeout: h.opt.RequestTimeout, Forget: h.opt.Forget}
	l := h.launcher(kernelclient.ContextID(newID()), start)
	l.id, l.exists, l.foreign = k.ID, true, true
	return h.open(info, l, foreignOptions(start), start)
}

func foreignOptions(start kernelclient.StartSpec) jupyter.DriverOptions {
	return jupyter.DriverOptions{RequestTimeout: start.RequestTimeout, Foreign: true, Restarts: true}
}

// find asks the server for a kernel.
func (h *Host) find(ctx context.Context, id kernelclient.ContextID) (kernelModel, error) {
	if strings.ContainsAny(string(id), "/?#%") || id == "" {
		return kernelModel{}, notHere(id, h.Address())
	}
	k, err := h.client.kernel(ctx, string(id))
	if isGone(err) {
		err = notHere(id, h.Address())
	}
	return k, err
}

func notHere(id kernelclient.ContextID, at string) error {
	return &kernelclient.Error{Kind: kernelclient.NotFound, What: fmt.Sprintf("the Jupyter server at %s has no kernel with the id %q", at, id)}
}

// Adopt implements kernelclient.Adopter. A server that cannot be reached is an error.
func (h *Host) Adopt(ctx context.Context, a kernelclient.Adoption) (kernelclient.Context, error) {
	l := h.launcher(a.Info.ID, a.Start)
	l.id, l.exists, l.foreign = a.Info.Remote, a.Info.Remote != "", a.Info.Foreign
	d := jupyter.DriverOptions{RequestTimeout: a.Start.RequestTimeout, Session: string(a.Info.ID), Prepare: l.prepare}
	if a.Info.Foreign {
		d = foreignOptions(a.Start)
	}
	_, err := h.find(ctx, kernelclient.ContextID(a.Info.Remote))
	switch {
	case errors.Is(err, kernelclient.NotFound):
		a.Log.Gone = &kernelclient.Death{Says: "the server has no such kernel any more"}
		l.id, l.exists = "", false
	case err != nil:
		return nil, err
	case !a.Info.Foreign:
		d.Adopt, d.Resumed = true, jupyter.UnderWay(a.Log.History)
	}
	a.Log.StartupTimeout = 0 // one that is busy and of few words is still worth having
	return h.openLog(a.Info, l, d, a.Log), nil
}

// RestartKernel restarts a kernel of the server, for those who hold no context of it.
func (h *Host) RestartKernel(ctx context.Context, id kernelclient.ContextID) error {
	if _, err := h.find(ctx, id); err != nil {
		return err
	}
	return h.client.call(ctx, http.MethodPost, kernelPath(string(id), "restart"), nil, nil)
}

// EndKernel ends a kernel of the server, whoever started it.
func (h *Host) EndKernel(ctx context.Context, id kernelclient.ContextID) error {
	if _, err := h.find(ctx, id); err != nil {
		return err
	}
	return h.client.end(ctx, string(id))
}

// Close implements kernelclient.Host. Kernels stay.
func (h *Host) Close() error {
	h.orphans.close()
	h.client.close()
	return nil
}

// newID is a new context's ID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
