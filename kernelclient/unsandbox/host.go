package unsandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// The kernels that are no language of the service's.
const (
	// KernelFiles runs each cell as a fresh process in one session: files last, variables do not.
	KernelFiles = "unsandbox-files"
	// KernelSession is a Python that lives in a session: variables last as long as it does.
	KernelSession = "unsandbox-session"
)

// Options are for New. The zero value uses the real service with the keys that are found.
type Options struct {
	Address string // what --host was given, for ContextInfo.Host; "" is "unsandbox:"
	URL     string // the service's base address, as in ClientOptions
	// PublicKey and SecretKey are used where both are set; else Account and the rest of
	// Lookup's order count.
	PublicKey, SecretKey string
	KeySource            string // where these two came from, in words for people
	Account              string
	Dir                  string                                    // whose accounts.csv comes last; "" is the current folder
	Env                  []string                                  // K=V, for UNSANDBOX_* and HOME; nil is this process's own
	Confirm              func(file string) (bool, error)           // as in Lookup
	Warn                 func(line string)                         // as in Lookup
	OTP                  func(ctx context.Context) (string, error) // as in ClientOptions
	Settings             Settings
	JobLog               string // the file that jobs are noted in, so that another process can fetch them; "" none
	RequestTimeout       time.Duration
	HTTP                 http.RoundTripper
	Version              string
	// Forget is StartSpec.Forget for all contexts.
	Forget bool
	// Log, if not nil, says how the log of a context that Start makes is kept.
	Log kernelclient.LogMaker
}

// Host is Unsandbox as a kernelclient.Host.
type Host struct {
	opt    Options
	client *Client

	mu       sync.Mutex // guards all below
	contexts map[kernelclient.ContextID]kernelclient.Context
	sessions map[string]*lived // of live kernels, until they are deleted
}

var (
	_ kernelclient.Host    = (*Host)(nil)
	_ kernelclient.Adopter = (*Host)(nil)
)

// New returns the host. It sends nothing and looks for no keys yet; settings that cannot be
// are Invalid.
func New(opt Options) (*Host, error) {
	if err := opt.Settings.check(); err != nil {
		return nil, err
	}
	c, err := NewClient(ClientOptions{
		URL: opt.URL, RequestTimeout: opt.RequestTimeout, HTTP: opt.HTTP, Version: opt.Version, OTP: opt.OTP,
		Lookup: Lookup{
			Public: opt.PublicKey, Secret: opt.SecretKey, Source: opt.KeySource, Account: opt.Account, Env: environment(opt.Env),
			Dir: opt.Dir, Confirm: opt.Confirm, Warn: opt.Warn,
		},
	})
	if err != nil {
		return nil, err
	}
	return &Host{opt: opt, client: c, contexts: map[kernelclient.ContextID]kernelclient.Context{}, sessions: map[string]*lived{}}, nil
}

// Client is the REST API that the host uses.
func (h *Host) Client() *Client { return h.client }

// Kernels implements kernelclient.Host: each language as a kernel without state, and the two
// kernels of sessions.
func (h *Host) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	l, err := h.languages(ctx)
	if err != nil {
		return nil, err
	}
	var out []kernelclient.Kernel
	for _, name := range l.Names {
		out = append(out, stateless(name))
	}
	return append(out, sessionKernels()...), nil
}

// languages is what the service runs. One that has trouble with its list may still run code.
func (h *Host) languages(ctx context.Context) (Languages, error) {
	l, err := h.client.Languages(ctx)
	var e *APIError
	if errors.As(err, &e) && e.Status >= http.StatusInternalServerError || err == nil && len(l.Names) == 0 {
		return Languages{Names: wellKnown(), Stale: true}, nil
	}
	return l, err
}

func stateless(language string) kernelclient.Kernel {
	return kernelclient.Kernel{
		Name: language, DisplayName: language + " (Unsandbox, stateless)", Language: language,
		Found: "Unsandbox, each cell a fresh process",
	}
}

func sessionKernels() []kernelclient.Kernel {
	return []kernelclient.Kernel{
		{
			Name: KernelFiles, DisplayName: "Unsandbox session: files last, each cell a fresh process", Language: "python",
			Found: "an Unsandbox session with kept files",
		},
		{
			Name: KernelSession, DisplayName: "Python in an Unsandbox session (experimental)", Language: "python",
			Found: "a live Unsandbox session",
		},
	}
}

// kernel finds what a name means.
func (h *Host) kernel(ctx context.Context, name string) (kernelclient.Kernel, error) {
	for _, k := range sessionKernels() {
		if strings.EqualFold(k.Name, name) {
			return k, nil
		}
	}
	l, err := h.languages(ctx)
	if err != nil {
		return kernelclient.Kernel{}, err
	}
	if to := l.Resolve(name); to != "" {
		return stateless(to), nil
	}
	return kernelclient.Kernel{}, noLanguage(name, l)
}

func noLanguage(name string, l Languages) error {
	return &kernelclient.Error{
		Kind: kernelclient.NotFound, What: fmt.Sprintf("Unsandbox runs no language %q", name),
		Next: "it runs: " + strings.Join(l.Names, ", "),
	}
}

// Contexts implements kernelclient.Host: those of this process, and the account's sessions,
// in which code can run among their files.
func (h *Host) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	sessions, err := h.client.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var infos []kernelclient.ContextInfo
	own := map[string]bool{}
	for _, c := range h.contexts {
		info := c.Info()
		own[info.Remote] = true
		infos = append(infos, info)
	}
	for _, s := range sessions {
		if !own[s.ID] {
			infos = append(infos, h.found(s))
		}
	}
	slices.SortFunc(infos, func(a, b kernelclient.ContextInfo) int { return a.Started.Compare(b.Started) })
	return infos, nil
}

// found describes a session that somebody else made as a context.
func (h *Host) found(s Session) kernelclient.ContextInfo {
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(s.ID), Kernel: sessionKernels()[0], Host: h.address(), Remote: s.ID, Started: s.Created,
		State: event.State{State: event.Idle, Generation: 1},
	}
	if s.Left > 0 {
		info.Expires = h.client.now().Add(time.Duration(s.Left) * time.Second)
	}
	return info
}

// Start implements kernelclient.Host. Nothing is started at the service before the first
// cell, but for the sessions.
func (h *Host) Start(ctx context.Context, start kernelclient.StartSpec) (kernelclient.Context, error) {
	k, err := h.kernel(ctx, start.Kernel)
	if err != nil {
		return nil, err
	}
	creds, err := h.client.Credentials()
	if err != nil {
		return nil, err
	}
	k.Found += ", " + h.opt.Settings.network() + ", " + creds.String() // whose account it is must be seen
	info := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(newID()), Kernel: k, Dir: start.Dir, Path: start.Session, Name: start.Name, Host: h.address(),
	}
	opt, err := h.opt.Log.For(info, start, h.opt.Forget)
	if err != nil {
		return nil, err
	}
	return h.open(info, start, opt), nil
}

func (h *Host) address() string { return cmp.Or(h.opt.Address, "unsandbox:") }

// open makes a context and keeps account of it.
func (h *Host) open(info kernelclient.ContextInfo, start kernelclient.StartSpec, opt kernelclient.LogOptions) kernelclient.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.context(info, start, opt.Stopped(func() { h.forget(info.ID) }))
	h.contexts[info.ID] = c
	return c
}

// context opens the log over the driver that a kernel has.
func (h *Host) context(info kernelclient.ContextInfo, start kernelclient.StartSpec, opt kernelclient.LogOptions) kernelclient.Context {
	switch info.Kernel.Name {
	case KernelSession:
		x := &lived{host: h}
		d := jupyter.NewDriver(h.live(x), jupyter.DriverOptions{RequestTimeout: start.RequestTimeout, Session: string(info.ID)})
		x.Log = kernelclient.OpenLog(info, d, opt)
		return x
	case KernelFiles:
		return kernelclient.OpenLog(info, newFilesDriver(h, start, info.Remote, info.Expires), opt)
	default:
		d := newDriver(h, info, start)
		return boxed{kernelclient.OpenLog(info, d, opt), d}
	}
}

func (h *Host) forget(id kernelclient.ContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.contexts, id)
}

// Attach implements kernelclient.Host. The id of a session of somebody else's joins its files:
// closing that context leaves the session, stopping it deletes it.
func (h *Host) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	h.mu.Lock()
	c, ok := h.contexts[id]
	h.mu.Unlock()
	if ok {
		return c, nil
	}
	s, err := h.client.Session(ctx, string(id))
	if err != nil {
		if errors.Is(err, kernelclient.NotFound) {
			err = &kernelclient.Error{Kind: kernelclient.NotFound, What: fmt.Sprintf("Unsandbox has no session %q", id), Next: "`nbterm unsandbox sessions list` lists them"}
		}
		return nil, err
	}
	info := h.found(s)
	info.State = event.State{}
	return h.open(info, kernelclient.StartSpec{Kernel: KernelFiles}, kernelclient.LogOptions{Forget: h.opt.Forget}), nil
}

// Close implements kernelclient.Host. It ends no context, but the sessions of those that were
// closed without being stopped, as nobody can reach them.
func (h *Host) Close() error {
	h.mu.Lock()
	var left []string
	for id, x := range h.sessions {
		if x.isClosed() {
			left = append(left, id)
		}
	}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), deleteLimit)
	defer cancel()
	var errs []error
	for _, id := range left {
		errs = append(errs, notThere(h.client.DeleteSession(ctx, id)))
	}
	h.client.Close()
	return errors.Join(errs...)
}

// Adopt implements kernelclient.Adopter: a job that was under way is waited for again, the
// files of a session are where they were.
func (h *Host) Adopt(ctx context.Context, a kernelclient.Adoption) (kernelclient.Context, error) {
	if _, err := h.client.Credentials(); err != nil {
		return nil, err
	}
	switch a.Info.Kernel.Name {
	case KernelSession:
		a.Log.Gone = &kernelclient.Error{Kind: kernelclient.Killed, What: "the Python in the session ended with the process that was connected to it"}
		if a.Info.Remote != "" { // it may live on below a multiplexer, and cost
			_ = h.client.DeleteSession(ctx, a.Info.Remote)
		}
	case KernelFiles:
		switch _, err := h.client.Session(ctx, a.Info.Remote); {
		case a.Info.Remote == "" || errors.Is(err, kernelclient.NotFound):
			a.Log.Gone = &kernelclient.Error{Kind: kernelclient.Killed, What: "the session is gone, and its files with it"}
			a.Info.Remote = ""
		case err != nil:
			return nil, err
		}
	}
	start := a.Start
	start.Kernel = a.Info.Kernel.Name
	return h.open(a.Info, start, a.Log), nil
}

// boxed is a context that refuses a time limit that the service cannot keep, and tells its
// driver of requests before their turn.
type boxed struct {
	*kernelclient.Log
	driver *driver
}

// Submit implements kernelclient.Context.
func (b boxed) Submit(ctx context.Context, r kernelclient.Request) error {
	if r.Timeout > MaxTTL {
		return tooLong(r.Timeout)
	}
	b.driver.announce(r)
	err := b.Log.Submit(ctx, r)
	if err != nil {
		b.driver.drop(func(o kernelclient.Request) bool { return o.ID == r.ID })
	}
	return err
}

// Cancel implements kernelclient.Context.
func (b boxed) Cancel(ctx context.Context, id event.ExecID) error {
	err := b.Log.Cancel(ctx, id)
	if err == nil {
		b.driver.drop(func(o kernelclient.Request) bool { return o.ID == id })
	}
	return err
}
