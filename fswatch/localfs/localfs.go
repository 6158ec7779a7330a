package localfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/nbterm/nbterm/fswatch"
)

// Options says what an FS is about.
type Options struct {
	Root     string // the folder where relative paths start; "" is the process's working folder
	Confined bool   // only what is below Root can be used
	Poll     bool   // look for changes instead of being told, as where reports are known to be missing
}

// FS is this machine's files. It is used as fswatch.FS says.
type FS struct {
	root     string // absolute, as it was given
	realRoot string // without symlinks
	confined bool
	poll     bool
	disk     disk
	names    names

	mu      sync.Mutex // guards streams
	streams map[*stream]bool
}

var (
	_ fswatch.FS     = (*FS)(nil)
	_ fswatch.Naming = (*FS)(nil)
)

// New makes an FS. Only a confined one looks at its root, which must be a folder.
func New(opt Options) (*FS, error) {
	root, err := filepath.Abs(opt.Root)
	if err != nil {
		return nil, refuse(opt.Root, "cannot be used", err)
	}
	f := &FS{root: root, realRoot: root, confined: opt.Confined, poll: opt.Poll, disk: wholeDisk{}, streams: map[*stream]bool{}}
	if !opt.Confined {
		return f, nil
	}
	if f.realRoot, err = filepath.EvalSymlinks(root); err != nil {
		return nil, refuse(root, "cannot be used", err)
	}
	if f.disk, err = os.OpenRoot(f.realRoot); err != nil {
		return nil, refuse(root, "cannot be used", err)
	}
	return f, nil
}

// Capabilities is fswatch.FS's.
func (f *FS) Capabilities() fswatch.Capabilities {
	return fswatch.Capabilities{
		Name: "this machine", AnyBytes: true, Push: !f.poll, Recursive: true, Ordered: true, Entries: true,
		Ranges: true, Meta: hasMeta, Atomic: true, Links: true, Modes: true,
	}
}

// errPoll is why nothing is reported where it was asked for.
var errPoll = errors.New("being told of changes is switched off")

// reports tells whether changes in a folder are reported: nil, or why not.
func (f *FS) reports(dir string) error {
	if f.poll {
		return errPoll
	}
	return fswatch.Reports(dir)
}

// Root is fswatch.FS's.
func (f *FS) Root(context.Context) (fswatch.Path, error) { return f.root, nil }

// Close is fswatch.FS's.
func (f *FS) Close() error {
	f.mu.Lock()
	open := f.streams
	f.streams = nil
	f.mu.Unlock()
	for s := range open {
		_ = s.Close()
	}
	return f.disk.Close()
}
