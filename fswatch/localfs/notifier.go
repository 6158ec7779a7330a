package localfs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"

	"github.com/nbterm/nbterm/fswatch"
)

// notifier reports many single folders by one watcher of the system's.
type notifier struct {
	*fswatch.Notices
	fs   *FS
	w    *fsnotify.Watcher
	done chan struct{}

	mu    sync.Mutex                // guards all below
	real  map[fswatch.Path]string   // a wanted folder without symlinks
	names map[string][]fswatch.Path // what it is called by who wants it
	above map[string]int            // how many watched folders are somewhere below one
}

// Notifier is fswatch.Notifying's.
func (f *FS) Notifier() (fswatch.Notifier, error) {
	if f.poll {
		return nil, errPoll
	}
	w, err := newNotify()
	if err != nil {
		return nil, err
	}
	n := &notifier{
		Notices: fswatch.NewNotices(), fs: f, w: w, done: make(chan struct{}),
		real: map[fswatch.Path]string{}, names: map[string][]fswatch.Path{}, above: map[string]int{},
	}
	go n.pump()
	return n, nil
}

// Add is fswatch.Notifier's.
func (n *notifier) Add(dir fswatch.Path) (watched bool, err error) {
	n.Remove(dir)
	if err := n.fs.folderInfo(dir, "cannot be watched"); err != nil {
		return false, err
	}
	real, err := n.fs.real(dir)
	if err != nil {
		return false, refuse(dir, "cannot be watched", err)
	}
	if err := n.fs.reports(real); err != nil {
		return false, err
	}
	n.mu.Lock()
	n.real[dir] = real
	if n.names[real] = append(n.names[real], dir); len(n.names[real]) == 1 {
		n.count(real, 1)
	}
	n.mu.Unlock()
	if err := n.w.Add(real); err != nil {
		n.Remove(dir)
		if err = asLimit(err); errors.Is(err, errLimit) {
			return false, err
		}
		return false, refuse(dir, "cannot be watched", err)
	}
	return true, nil
}

// Remove is fswatch.Notifier's.
func (n *notifier) Remove(dir fswatch.Path) {
	n.mu.Lock()
	real, ok := n.real[dir]
	last := false
	if ok {
		delete(n.real, dir)
		n.names[real] = slices.DeleteFunc(n.names[real], func(d fswatch.Path) bool { return d == dir })
		if last = len(n.names[real]) == 0; last {
			delete(n.names, real)
			n.count(real, -1)
		}
	}
	n.mu.Unlock()
	if last {
		_ = n.w.Remove(real)
	}
	n.Drop(dir)
}

// count counts a watched folder at all that are above it.
func (n *notifier) count(real string, by int) {
	for up := filepath.Dir(real); ; up = filepath.Dir(up) {
		if n.above[up] += by; n.above[up] == 0 {
			delete(n.above, up)
		}
		if up == filepath.Dir(up) {
			return
		}
	}
}

// Close is fswatch.Notifier's.
func (n *notifier) Close() error {
	err := n.w.Close()
	<-n.done
	return err
}

// pump takes the system's reports as fast as they come.
func (n *notifier) pump() {
	defer close(n.done)
	for {
		select {
		case e, ok := <-n.w.Events:
			if !ok {
				return
			}
			n.report(e)
		case _, ok := <-n.w.Errors: // reports were lost
			if !ok {
				return
			}
			n.Put(fswatch.Notice{All: true})
		}
	}
}

func (n *notifier) report(e fsnotify.Event) {
	n.mu.Lock()
	for _, dir := range n.names[filepath.Dir(e.Name)] {
		n.Put(fswatch.Notice{Dir: dir, Names: []string{filepath.Base(e.Name)}})
	}
	var gone []string
	switch {
	case e.Has(fsnotify.Rename) && n.above[e.Name] > 0: // and all that is below is called otherwise now
		for real := range n.names {
			if real == e.Name || strings.HasPrefix(real, e.Name+"/") {
				gone = append(gone, real)
			}
		}
	case len(n.names[e.Name]) == 0:
	case e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename):
		gone = []string{e.Name}
	default: // its own rights
		for _, dir := range n.names[e.Name] {
			n.Put(fswatch.Notice{Dir: dir})
		}
	}
	for _, real := range gone {
		for _, dir := range n.names[real] {
			delete(n.real, dir)
			n.Put(fswatch.Notice{Dir: dir, Err: &fswatch.Error{Kind: fswatch.NotFound, What: quote(dir) + " is gone"}})
		}
		delete(n.names, real)
		n.count(real, -1)
	}
	n.mu.Unlock()
	for _, real := range gone {
		_ = n.w.Remove(real)
	}
}
