package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

const (
	callWait  = 15 * time.Second // for an answer, where the caller sets no deadline
	startTime = time.Minute      // for the host process to make a context
	stopTime  = 30 * time.Second // for a kernel's polite end
	leaveWait = time.Second      // for the host process to hear that a client is done

	maxRefusal = 64 << 10           // bytes of an answer that is none of the file service
	base       = "http://localhost" // a unix socket has no name of its own
)

// ClientOptions are for Connect and Ensure.
type ClientOptions struct {
	Place Place
	// Socket is the path of a certain host process's socket; "" is the place's own.
	Socket string
	// Dial, if not nil, connects to a host process of another machine, instead of a socket of
	// this one. It may be called at any time, by several goroutines at once.
	Dial func(context.Context) (net.Conn, error)
	// Base is the address of an `nbterm serve`, instead of a socket: an http or https URL
	// without a slash at its end. Token goes with each request to it, and TLS, if not nil,
	// says whom to trust.
	Base  string
	Token string
	TLS   *tls.Config
	// Name is the address of a host process of another machine, as --host takes it, without a
	// slash at its end: messages and the paths of notebooks there have it. "" is Base, and
	// paths are as they are.
	Name string
	// Patience is how long streams look for a host process of another machine that cannot be
	// reached; 0 is ten minutes.
	Patience time.Duration
	// Program starts a host process where there is none, called with Args, its name first.
	// "" starts none.
	Program string
	Args    []string
	// Version is the client's release, for people.
	Version string
	// Env and Dir are the environment and the folder that kernels are looked for and started
	// in. A nil Env is this process's own; on another machine, that of the host process.
	Env []string
	Dir string
	// Target says on which other host kernels are to be started, in whatever way the server's
	// Options.Host understands; nil is the host process's own machine. It may have secrets:
	// it goes over the socket and nowhere else.
	Target json.RawMessage
}

// Client is a host process seen as a kernelclient.Host.
type Client struct {
	opt     ClientOptions
	name    string
	http    *http.Client
	starter *starter

	mu      sync.Mutex // guards all below
	streams map[*stream]bool
	closed  bool
}

var (
	_ kernelclient.Host   = (*Client)(nil)
	_ kernelclient.Joiner = (*Client)(nil)
)

// Connect connects to a host process that runs. Where there is none, the error is one that
// NoHost knows; one of another version gives a *VersionError, and the Client is good for
// List, Stop and StopAll then.
func Connect(ctx context.Context, opt ClientOptions) (*Client, error) {
	opt.Program = ""
	return Ensure(ctx, opt)
}

// Ensure is Connect, and starts the host process where there is none. It also starts one
// later, when the one that was there has gone.
func Ensure(ctx context.Context, opt ClientOptions) (*Client, error) {
	c := newClient(opt)
	_, err := c.Hello(ctx)
	if errors.Is(err, kernelclient.Disconnect) && !errors.Is(err, context.DeadlineExceeded) && !c.elsewhere() {
		_, err = c.Hello(ctx) // it was killed as we came, and let us in all the same; who is there now?
	}
	var version *VersionError
	if err != nil && !errors.As(err, &version) {
		return nil, errors.Join(err, c.Close())
	}
	return c, err
}

// New is Ensure without the first question: the host process is connected to, or started,
// when it is needed. One of another version is the error of whatever is asked then.
func New(opt ClientOptions) *Client { return newClient(opt) }

func newClient(opt ClientOptions) *Client {
	c := &Client{opt: opt, name: newName(), streams: map[*stream]bool{}}
	if opt.Program != "" && opt.Socket == "" && !c.elsewhere() {
		c.starter = &starter{place: opt.Place, program: opt.Program, args: opt.Args}
	}
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: stay}
	return c
}

// newName is a random name.
func newName() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// startsNone is the key in a context of what is of no use to a host process that is only started for it.
type startsNone struct{}

// dial connects to the host process, and starts it if that is wanted.
func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	switch {
	case c.opt.Dial != nil:
		return c.opt.Dial(ctx)
	case c.opt.Socket != "":
		return connectTo(ctx, c.opt.Socket)
	}
	conn, err := c.opt.Place.connect(ctx)
	if c.starter == nil || !NoHost(err) || ctx.Value(startsNone{}) != nil {
		return conn, err
	}
	return c.starter.start(ctx)
}

// Connection is one to the host process, for a relay that carries what another client says.
func (c *Client) Connection(ctx context.Context) (net.Conn, error) { return c.dial(ctx) }

// Hello asks the host process who it is.
func (c *Client) Hello(ctx context.Context) (version string, err error) {
	var h hello
	err = c.call(ctx, callWait, http.MethodGet, "/hello", nil, &h)
	return h.Version, err
}

// Here tells whether the host process is one of this machine, so that both mean the same
// files by a path: a socket may have been forwarded.
func (c *Client) Here(ctx context.Context) (bool, error) {
	var h hello
	err := c.call(ctx, callWait, http.MethodGet, "/hello", nil, &h)
	return !c.elsewhere() && (h.Machine == "" || h.Machine == fingerprint()), err
}

// Kernels implements kernelclient.Host.
func (c *Client) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	var list []kernelWire
	if err := c.call(ctx, startTime, http.MethodPost, "/v1/kernels", c.surroundings(), &list); err != nil {
		return nil, err
	}
	kernels := make([]kernelclient.Kernel, len(list))
	for i, k := range list {
		kernels[i] = kernelclient.Kernel(k)
	}
	return kernels, nil
}

func (c *Client) surroundings() kernelsRequest {
	env := c.opt.Env
	if env == nil && !c.elsewhere() {
		env = os.Environ()
	}
	return kernelsRequest{Env: env, Dir: c.opt.Dir, Target: c.opt.Target}
}

// Listed is a context of a host process and what only that process knows of it.
type Listed struct {
	kernelclient.ContextInfo
	Memory int64 // resident bytes of the kernel's processes, 0 where that is not known
}

// List lists what runs in a host process of whatever version.
func (c *Client) List(ctx context.Context) ([]Listed, error) {
	var list []contextWire
	if err := anyVersion(c.call(ctx, startTime, http.MethodGet, "/contexts", nil, &list)); err != nil {
		return nil, err
	}
	out := make([]Listed, len(list))
	for i, w := range list {
		out[i] = Listed{ContextInfo: c.info(w), Memory: w.Memory}
	}
	return out, nil
}

// Contexts implements kernelclient.Host.
func (c *Client) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	list, err := c.List(ctx)
	out := make([]kernelclient.ContextInfo, len(list))
	for i, l := range list {
		out[i] = l.ContextInfo
	}
	return out, err
}

// Start implements kernelclient.Host: with this client's environment and folder.
func (c *Client) Start(ctx context.Context, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	return c.start(ctx, startRequest{Nonce: newName(), Spec: specWire(spec)})
}

func (c *Client) start(ctx context.Context, q startRequest) (kernelclient.Context, error) {
	w, err := c.begin(ctx, q)
	if err != nil {
		return nil, err
	}
	return newRemote(c, w, q), nil
}

// begin asks for a context, a second time where the answer was lost.
func (c *Client) begin(ctx context.Context, q startRequest) (w contextWire, err error) {
	q.kernelsRequest, q.Spec.Session = c.surroundings(), c.sent(q.Spec.Session)
	err = c.call(ctx, startTime, http.MethodPost, "/v1/contexts", q, &w)
	if errors.Is(err, kernelclient.Disconnect) && ctx.Err() == nil {
		err = c.call(ctx, startTime, http.MethodPost, "/v1/contexts", q, &w) // the nonce makes it one start
	}
	return w, err
}

// Running implements kernelclient.Joiner.
func (c *Client) Running(ctx context.Context) ([]kernelclient.Running, error) {
	var list []runningWire
	if err := c.call(ctx, startTime, http.MethodPost, "/v1/running", c.surroundings(), &list); err != nil {
		return nil, err
	}
	out := make([]kernelclient.Running, len(list))
	for i, w := range list {
		out[i] = kernelclient.Running{File: w.File, Kernel: kernelclient.Kernel(w.Kernel), Path: c.told(w.Path), PID: w.PID, Started: w.Started}
	}
	return out, nil
}

// Existing implements kernelclient.Joiner. A file is looked for from here, not from where
// the host process is.
func (c *Client) Existing(ctx context.Context, file string, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	if _, err := os.Stat(file); err == nil && !c.elsewhere() {
		if file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
	}
	return c.start(ctx, startRequest{Nonce: newName(), Existing: file, Spec: specWire(spec)})
}

// Attach implements kernelclient.Host.
func (c *Client) Attach(ctx context.Context, id kernelclient.ContextID) (kernelclient.Context, error) {
	var w contextWire
	if err := c.call(ctx, startTime, http.MethodGet, contextPath(id, ""), nil, &w); err != nil {
		return nil, err
	}
	return newRemote(c, w, startRequest{Spec: specWire{Kernel: w.Kernel.Name, Dir: w.Dir, Session: c.told(w.Path), Name: w.Name}}), nil
}

func contextPath(id kernelclient.ContextID, verb string) string {
	return "/v1/contexts/" + url.PathEscape(string(id)) + verb
}

// Stop ends a context of a host process of whatever version. One that is not there is NotFound.
func (c *Client) Stop(ctx context.Context, id kernelclient.ContextID, force bool) error {
	return anyVersion(c.call(ctx, stopTime, http.MethodPost, "/contexts/"+url.PathEscape(string(id))+"/stop", stopFor(ctx, force), nil))
}

// StopAll ends all contexts and the host process itself, of whatever version.
func (c *Client) StopAll(ctx context.Context) error {
	return anyVersion(c.call(ctx, stopTime, http.MethodPost, "/stop", stopFor(ctx, false), nil))
}

// stopFor leaves the kernel as long as ctx does.
func stopFor(ctx context.Context, force bool) stopRequest {
	q := stopRequest{Force: force}
	if at, ok := ctx.Deadline(); ok {
		q.Within = max(time.Until(at).Milliseconds(), 1)
	}
	return q
}

// anyVersion is for what never changes from one version to the next.
func anyVersion(err error) error {
	var version *VersionError
	if errors.As(err, &version) {
		return version.rest
	}
	return err
}

// Close implements kernelclient.Host. Contexts and the host process go on.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	streams := make([]*stream, 0, len(c.streams))
	for s := range c.streams {
		streams = append(streams, s)
	}
	c.mu.Unlock()
	for _, s := range streams {
		_ = s.Close() // it never fails
	}
	c.http.CloseIdleConnections()
	if c.starter != nil {
		c.starter.reap()
	}
	return nil
}

// call sends a request and reads its answer into out, both JSON, nil for none. wait bounds
// it where ctx does not. What the host process refuses comes back as the error it was there.
func (c *Client) call(ctx context.Context, wait time.Duration, method, path string, in, out any) error {
	if _, ok := ctx.Deadline(); !ok {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ctx = limited
	}
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("asking the host process: %w", err)
		}
		body = bytes.NewReader(data)
	}
	resp, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return c.disconnected(ctx, err)
	}
	return c.versioned(resp, answered(resp, data, out))
}

// answered reads an answer.
func answered(resp *http.Response, data []byte, out any) error {
	if resp.StatusCode != http.StatusOK {
		w := &wireError{}
		if json.Unmarshal(data, w) != nil {
			w.Text = fmt.Sprintf("the host process said %s", resp.Status)
		}
		return decodeError(w)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return unreadable(err)
	}
	return nil
}

// send is one exchange up to the answer's header.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, c.base()+path, body)
	if err != nil {
		return nil, err
	}
	q.Header.Set(clientHeader, c.name)
	resp, err := c.http.Do(q)
	if err != nil {
		return nil, c.disconnected(ctx, err)
	}
	return resp, nil
}
