package envd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// Clocks that callers usually set.
const (
	DefaultRequestTimeout = 60 * time.Second
	DefaultSilence        = 60 * time.Second
)

// Options say which service a client is of, and how it talks to it.
type Options struct {
	// URL is the service's address, such as http://127.0.0.1:49983.
	URL string
	// AccessToken is the sandbox's, "" if it asks for none.
	AccessToken string
	// User is whose home relative paths start at and who owns what is made; "" leaves it to
	// the service.
	User string
	// Root is the folder that a tree begins with; "" is the user's home.
	Root fswatch.Path
	// Version is envd's if it is known. With "" everything is sent and the answer looked at.
	Version string
	// Name is what people call this place; "" is "sandbox".
	Name string
	// Header goes with every request.
	Header http.Header
	// Transport makes the requests; nil is one of its own over HTTP/1.1, which closes a
	// connection when a request is given up.
	Transport http.RoundTripper
	// Binary talks in protobuf instead of JSON.
	Binary bool
	// Request bounds connecting, sending (each piece of a body anew) and the wait for an
	// answer; 0 is no limit.
	Request time.Duration
	// Silence bounds how long a transfer may bring nothing; 0 is no limit.
	Silence time.Duration
}

// FS is the files of a sandbox, or of a Server. It is used as fswatch.FS says.
type FS struct {
	opt    Options
	base   *url.URL
	http   *http.Client
	rpc    envdpb.FilesystemClient
	stream envdpb.FilesystemClient // without clocks: a watch is silent for as long as nothing happens
	idle   func()
	ping   time.Duration // how often a watch is to give a sign of life, at least a second
	poll   time.Duration // how often events are fetched where there are no streams

	mu     sync.Mutex // guards all below
	root   fswatch.Path
	octet  bool // uploads of plain bytes were refused: an old envd
	open   map[*stream]bool
	closed bool
}

var _ fswatch.FS = (*FS)(nil)

// New makes a client. It does not connect.
func New(opt Options) (*FS, error) {
	base, err := url.Parse(opt.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, &fswatch.Error{Kind: fswatch.Invalid, What: "the address of a file service begins with http:// or https:// and names a host"}
	}
	if older(opt.Version, sinceUser) && opt.User == "" {
		opt.User = "user" // as the SDKs do
	}
	f := &FS{opt: opt, base: base, open: map[*stream]bool{}, root: opt.Root, idle: func() {}, ping: pingInterval, poll: pollInterval}
	transport := opt.Transport
	if transport == nil {
		own := ownTransport()
		transport, f.idle = own, own.CloseIdleConnections
	}
	keys := keyed{next: transport, opt: opt}
	f.http = &http.Client{Transport: clocks{next: keys, request: opt.Request, silence: opt.Silence}, CheckRedirect: stay}
	var as []connect.ClientOption
	if !opt.Binary {
		as = append(as, connect.WithProtoJSON())
	}
	address := strings.TrimRight(base.String(), "/")
	f.rpc = envdpb.NewFilesystemClient(f.http, address, as...)
	f.stream = envdpb.NewFilesystemClient(&http.Client{Transport: keys, CheckRedirect: stay}, address, as...)
	return f, nil
}

// stay follows no redirect: the token would go elsewhere.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ownTransport speaks HTTP/1.1 only, so that giving up a request closes its connection and
// the other side notices.
func ownTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSNextProto:          map[string]func(string, *tls.Conn) http.RoundTripper{},
		TLSHandshakeTimeout:   20 * time.Second,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       60 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// keyed adds what every request carries.
type keyed struct {
	next http.RoundTripper
	opt  Options
}

// RoundTrip is http.RoundTripper's.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range k.opt.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if k.opt.AccessToken != "" {
		r.Header.Set("X-Access-Token", k.opt.AccessToken)
	}
	if k.opt.User != "" {
		r.SetBasicAuth(k.opt.User, "")
	}
	return k.next.RoundTrip(r)
}

// Capabilities is fswatch.FS's.
func (f *FS) Capabilities() fswatch.Capabilities {
	name := f.opt.Name
	if name == "" {
		name = "sandbox"
	}
	return fswatch.Capabilities{
		Name: name, Remote: true, Push: true, Recursive: !older(f.opt.Version, sinceRecursive), Ordered: true,
		Entries: !older(f.opt.Version, sinceEntries), Ranges: true, Gzip: !older(f.opt.Version, sinceOctet),
		Meta: !older(f.opt.Version, sinceMetadata), Links: true, Modes: true,
	}
}

// Root is fswatch.FS's: the user's home is asked for once.
func (f *FS) Root(ctx context.Context) (fswatch.Path, error) {
	f.mu.Lock()
	root := f.root
	f.mu.Unlock()
	if root != "" {
		return root, nil
	}
	answer, err := f.rpc.Stat(ctx, connect.NewRequest(&envdpb.StatRequest{Path: "~"}))
	if err != nil {
		return "", refused(ctx, "the home folder is not known", err)
	}
	root = answer.Msg.GetEntry().GetPath()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.root = root
	return root, nil
}

// absolute makes a path absolute, because the service would take a relative one for the home.
func (f *FS) absolute(ctx context.Context, p fswatch.Path) (fswatch.Path, error) {
	if !utf8.ValidString(p) {
		return "", &fswatch.Error{Kind: fswatch.Unsupported, What: fmt.Sprintf("the name %q is not UTF-8, and this file service has no others", p)}
	}
	if strings.HasPrefix(p, "/") {
		return p, nil
	}
	root, err := f.Root(ctx)
	if err != nil {
		return "", err
	}
	return path.Join(root, p), nil
}

// List is fswatch.FS's.
func (f *FS) List(ctx context.Context, dir fswatch.Path, opt fswatch.ListOptions) ([]fswatch.Entry, error) {
	dir, err := f.absolute(ctx, dir)
	if err != nil {
		return nil, err
	}
	answer, err := f.rpc.ListDir(ctx, connect.NewRequest(&envdpb.ListDirRequest{Path: dir, Depth: uint32(max(opt.Depth, 1))}))
	if err != nil {
		return nil, refused(ctx, fmt.Sprintf("%q cannot be listed", dir), err)
	}
	list := make([]fswatch.Entry, 0, len(answer.Msg.GetEntries()))
	for _, e := range answer.Msg.GetEntries() {
		list = append(list, entryFrom(e))
	}
	return list, nil
}

// Stat is fswatch.FS's.
func (f *FS) Stat(ctx context.Context, p fswatch.Path) (fswatch.Entry, error) {
	p, err := f.absolute(ctx, p)
	if err != nil {
		return fswatch.Entry{}, err
	}
	answer, err := f.rpc.Stat(ctx, connect.NewRequest(&envdpb.StatRequest{Path: p}))
	if err != nil {
		return fswatch.Entry{}, refused(ctx, fmt.Sprintf("%q", p), err)
	}
	return entryFrom(answer.Msg.GetEntry()), nil
}

// Mkdir is fswatch.FS's.
func (f *FS) Mkdir(ctx context.Context, p fswatch.Path) (created bool, err error) {
	p, err = f.absolute(ctx, p)
	if err != nil {
		return false, err
	}
	_, err = f.rpc.MakeDir(ctx, connect.NewRequest(&envdpb.MakeDirRequest{Path: p}))
	err = refused(ctx, fmt.Sprintf("the folder %q cannot be made", p), err)
	if connect.CodeOf(err) != connect.CodeAlreadyExists && !errors.Is(err, fswatch.Exists) {
		return err == nil, err
	}
	// A link that leads nowhere is also said to exist, by the system.
	if e, stat := f.Stat(ctx, p); stat != nil || !e.IsDir() {
		return false, invalid(p, "is there and is no folder")
	}
	return false, nil
}

// Move is fswatch.FS's. What is there is looked at before: the service replaces files
// unasked, and makes the destination's parents even if there is nothing to move.
func (f *FS) Move(ctx context.Context, from, to fswatch.Path, opt fswatch.MoveOptions) (fswatch.Entry, error) {
	from, err := f.absolute(ctx, from)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if to, err = f.absolute(ctx, to); err != nil {
		return fswatch.Entry{}, err
	}
	source, err := f.Stat(ctx, from)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if path.Clean(from) == path.Clean(to) {
		return source, nil
	}
	if strings.HasPrefix(path.Clean(to), path.Clean(from)+"/") {
		return fswatch.Entry{}, invalid(from, "cannot be moved into itself")
	}
	there, err := f.Stat(ctx, to)
	switch {
	case err == nil && (!opt.Replace || folder(there) || folder(source)):
		return fswatch.Entry{}, &fswatch.Error{Kind: fswatch.Exists, What: fmt.Sprintf("%q cannot be moved: %q exists", from, to)}
	case err != nil && !errors.Is(err, fswatch.NotFound):
		return fswatch.Entry{}, err
	}
	return f.rename(ctx, from, to)
}

// folder tells whether an entry is a folder itself.
func folder(e fswatch.Entry) bool { return e.IsDir() && !e.Link }

func (f *FS) rename(ctx context.Context, from, to fswatch.Path) (fswatch.Entry, error) {
	answer, err := f.rpc.Move(ctx, connect.NewRequest(&envdpb.MoveRequest{Source: from, Destination: to}))
	if err != nil {
		return fswatch.Entry{}, refused(ctx, fmt.Sprintf("%q cannot be moved to %q", from, to), err)
	}
	return entryFrom(answer.Msg.GetEntry()), nil
}

// Remove is fswatch.FS's. An empty path would be the whole home for the service.
func (f *FS) Remove(ctx context.Context, p fswatch.Path) error {
	if p == "" {
		return invalid(p, "names nothing that could be removed")
	}
	p, err := f.absolute(ctx, p)
	if err != nil {
		return err
	}
	root, err := f.Root(ctx)
	if err != nil {
		return err
	}
	clean := path.Clean(p)
	if clean == "/" || root == clean || strings.HasPrefix(root, clean+"/") {
		return invalid(p, "is the root folder or above it and is not removed")
	}
	_, err = f.rpc.Remove(ctx, connect.NewRequest(&envdpb.RemoveRequest{Path: strings.TrimRight(p, "/")}))
	return refused(ctx, fmt.Sprintf("%q cannot be removed", p), err)
}

// SignedURL is an address under which somebody without the token can read or write one file.
// A zero expires is for ever. Without a token it fails: the address would protect nothing.
func (f *FS) SignedURL(ctx context.Context, p fswatch.Path, op Operation, expires time.Time) (string, error) {
	p, err := f.absolute(ctx, p)
	if err != nil {
		return "", err
	}
	signed, err := SignedURL(f.base, p, op, f.opt.User, f.opt.AccessToken, expires)
	if err != nil {
		return "", &fswatch.Error{Kind: fswatch.Unauthenticated, What: err.Error(), Next: "give the token, or use the plain address: a service without a token lets everybody in"}
	}
	return signed, nil
}

// Close is fswatch.FS's.
func (f *FS) Close() error {
	f.mu.Lock()
	f.closed = true
	open := f.open
	f.open = map[*stream]bool{}
	f.mu.Unlock()
	for s := range open {
		_ = s.Close()
	}
	f.idle()
	return nil
}
