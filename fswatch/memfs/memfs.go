package memfs

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// FS is files in memory. Its root is "/". It is used as fswatch.FS says.
type FS struct {
	caps fswatch.Capabilities
	now  func() time.Time

	mu       sync.Mutex // guards all below
	nodes    map[string]*node
	streams  map[*stream]bool
	problems map[string]fswatch.Kind
	lists    int
}

// node is a file or a folder; nodes are found by their clean absolute path.
type node struct {
	dir  bool
	data []byte
	mode fs.FileMode
	time time.Time
	meta map[string]string
}

var _ fswatch.FS = (*FS)(nil)

// New makes an empty file system.
func New() *FS {
	f := &FS{
		caps: fswatch.Capabilities{
			Name: "memory", AnyBytes: true, Push: true, Recursive: true, Ordered: true, Entries: true,
			Ranges: true, Meta: true, Atomic: true, Modes: true,
		},
		now:   time.Now,
		nodes: map[string]*node{}, streams: map[*stream]bool{}, problems: map[string]fswatch.Kind{},
	}
	f.nodes["/"] = f.newNode(true)
	return f
}

func (f *FS) newNode(dir bool) *node {
	mode := fs.FileMode(0o644)
	if dir {
		mode = fs.ModeDir | 0o755
	}
	return &node{dir: dir, mode: mode, time: f.now()}
}

// Alter changes what Capabilities says and how FS behaves accordingly: Push, Recursive,
// Entries, Meta and Gzip count. It must be called before the FS is used.
func (f *FS) Alter(change func(*fswatch.Capabilities)) *FS {
	change(&f.caps)
	return f
}

// Fail makes listing and reading of a path fail with a kind, "" ends that.
func (f *FS) Fail(name fswatch.Path, kind fswatch.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if kind == "" {
		delete(f.problems, clean(name))
		return
	}
	f.problems[clean(name)] = kind
}

// Lists is how often List was called.
func (f *FS) Lists() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lists
}

// Capabilities is fswatch.FS's.
func (f *FS) Capabilities() fswatch.Capabilities { return f.caps }

// Root is fswatch.FS's.
func (f *FS) Root(context.Context) (fswatch.Path, error) { return "/", nil }

// Close is fswatch.FS's.
func (f *FS) Close() error {
	f.mu.Lock()
	streams := f.streams
	f.streams = map[*stream]bool{}
	f.mu.Unlock()
	for s := range streams {
		_ = s.Close()
	}
	return nil
}

func clean(name fswatch.Path) string { return path.Join("/", name) }

func fail(kind fswatch.Kind, name fswatch.Path, what string) error {
	return &fswatch.Error{Kind: kind, What: name + " " + what}
}

// find is the node at a path.
func (f *FS) find(name fswatch.Path) (*node, error) {
	if strings.Contains(name, "\x00") {
		return nil, fail(fswatch.Invalid, name, "has a NUL byte")
	}
	p := clean(name)
	for _, part := range strings.Split(p, "/") {
		if len(part) > 255 {
			return nil, fail(fswatch.Invalid, name, "is too long")
		}
	}
	n, ok := f.nodes[p]
	if ok && !n.dir && strings.HasSuffix(name, "/") {
		return nil, fail(fswatch.Invalid, name, "is no folder")
	}
	if ok {
		return n, nil
	}
	for up := path.Dir(p); ; up = path.Dir(up) {
		if above, ok := f.nodes[up]; ok {
			if !above.dir {
				return nil, fail(fswatch.Invalid, name, "is below a file")
			}
			return nil, fail(fswatch.NotFound, name, "is not there")
		}
	}
}

func (f *FS) entry(shown fswatch.Path, n *node) fswatch.Entry {
	e := fswatch.Entry{
		Name: path.Base(shown), Path: shown, Type: fswatch.TypeFile, Mode: n.mode, Size: int64(len(n.data)),
		ModTime: n.time, Owner: "user", Group: "user", Problem: f.problems[clean(shown)],
	}
	if n.dir {
		e.Type = fswatch.TypeDir
	}
	if len(n.meta) > 0 {
		e.Meta = n.meta
	}
	return e
}

func absolute(name fswatch.Path) fswatch.Path {
	if path.IsAbs(name) {
		return name
	}
	return clean(name)
}

// Stat is fswatch.FS's.
func (f *FS) Stat(_ context.Context, name fswatch.Path) (fswatch.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(name)
	if err != nil {
		return fswatch.Entry{}, err
	}
	return f.entry(absolute(name), n), nil
}

// List is fswatch.FS's.
func (f *FS) List(_ context.Context, dir fswatch.Path, opt fswatch.ListOptions) ([]fswatch.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists++
	if err := f.folder(dir); err != nil {
		return nil, err
	}
	if kind := f.problems[clean(dir)]; kind != "" {
		return nil, fail(kind, dir, "cannot be listed")
	}
	return f.list(absolute(dir), max(opt.Depth, 1)), nil
}

func (f *FS) folder(dir fswatch.Path) error {
	n, err := f.find(dir)
	if err == nil && !n.dir {
		err = fail(fswatch.Invalid, dir, "is not a folder")
	}
	return err
}

func (f *FS) list(dir fswatch.Path, depth int) []fswatch.Entry {
	var names []string
	for p := range f.nodes {
		if p != "/" && path.Dir(p) == clean(dir) {
			names = append(names, path.Base(p))
		}
	}
	slices.Sort(names)
	var entries []fswatch.Entry
	for _, name := range names {
		shown := strings.TrimSuffix(dir, "/") + "/" + name
		e := f.entry(shown, f.nodes[clean(shown)])
		entries = append(entries, e)
		if depth > 1 && e.IsDir() && e.Problem == "" {
			entries = append(entries, f.list(shown, depth-1)...)
		}
	}
	return entries
}
