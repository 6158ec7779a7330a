package localfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/nbterm/nbterm/fswatch"
)

// remembered bounds what a tree keeps to recognize reports that come twice.
const remembered = 1 << 14

// tree turns the system's reports about a folder, or about it and all folders below, into
// events. The system watches single folders only: a new one is watched when its creation is
// reported, and what is in it by then is told as created.
type tree struct {
	s    *stream
	w    *fsnotify.Watcher
	root string          // without symlinks
	dirs map[string]bool // watched folders
	// What was told as created while a new folder was read. The system may report it once
	// more: then it is told as written, because it may have been replaced by a rename.
	made map[string]bool
	// Watched folders that were renamed: a rename is reported by the folder above and by the
	// folder itself, and the second of them comes after its new name.
	moved map[string]bool
}

func newTree(s *stream) (*tree, error) {
	root, err := s.fs.real(s.dir)
	if err != nil {
		return nil, err
	}
	w, err := newNotify()
	if err != nil {
		return nil, err
	}
	t := &tree{s: s, w: w, root: root, dirs: map[string]bool{}, made: map[string]bool{}, moved: map[string]bool{}}
	if err := t.walk(root, false); err != nil {
		_ = w.Close()
		return nil, err
	}
	return t, nil
}

// run follows the reports until the context ends. Else it returns why there are none.
func (t *tree) run(ctx context.Context) error {
	defer t.w.Close()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-t.w.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			err = t.handle(ctx, e)
		case e, ok := <-t.w.Errors:
			if !ok {
				return fsnotify.ErrClosed
			}
			err = t.lost(e)
		}
		if err != nil {
			return err
		}
	}
}

// lost begins anew after reports were lost.
func (t *tree) lost(err error) error {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		return err
	}
	clear(t.made)
	clear(t.moved)
	t.s.Put(fswatch.Event{Op: fswatch.OpResync, Name: "."})
	if err := t.walk(t.root, false); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// walk watches a folder and, where the watch is recursive, those below. With tell, all that
// is in it is new. What cannot be read is left out; an error is one of root's, or a limit.
func (t *tree) walk(dir string, tell bool) error {
	if err := t.w.Add(dir); err != nil {
		err = asLimit(err)
		if dir == t.root || errors.Is(err, errLimit) {
			return err
		}
		return nil
	}
	t.dirs[dir] = true
	if !tell && !t.s.opt.Recursive {
		return nil
	}
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, item := range items {
		path := join(dir, item.Name())
		if tell {
			t.tellMade(path, item)
		}
		if item.IsDir() && t.s.opt.Recursive {
			if err := t.walk(path, tell); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tree) tellMade(path string, item fs.DirEntry) {
	if len(t.made) >= remembered {
		clear(t.made)
	}
	t.made[path] = true
	t.tell(fswatch.OpCreate, path)
	if info, err := item.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		t.tell(fswatch.OpWrite, path)
	}
}

// tell puts an event about a path, with its entry where that is wanted and still there.
func (t *tree) tell(op fswatch.Op, path string) {
	name := "."
	if path != t.root {
		name = strings.TrimPrefix(strings.TrimPrefix(path, t.root), "/")
	}
	e := fswatch.Event{Op: op, Name: name}
	if t.s.opt.Entries && (op == fswatch.OpCreate || op == fswatch.OpWrite || op == fswatch.OpChmod) {
		if entry, err := t.s.fs.Stat(context.Background(), filepath.Join(t.s.dir, name)); err == nil {
			e.Entry = &entry
		}
	}
	t.s.Put(e)
}

// handle tells of one report. Several operations in it are told in a fixed order.
func (t *tree) handle(ctx context.Context, e fsnotify.Event) error {
	if e.Has(fsnotify.Create) {
		if err := t.created(e.Name); err != nil {
			return err
		}
	}
	if e.Has(fsnotify.Rename) {
		t.renamed(e.Name)
	}
	if e.Has(fsnotify.Chmod) {
		t.tell(fswatch.OpChmod, e.Name)
	}
	if e.Has(fsnotify.Write) {
		t.tell(fswatch.OpWrite, e.Name)
	}
	if e.Has(fsnotify.Remove) {
		t.removed(e.Name)
	}
	if e.Name == t.root && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) {
		return t.await(ctx)
	}
	return nil
}

func (t *tree) created(path string) error {
	delete(t.moved, path)
	info, err := os.Lstat(path)
	folder := err == nil && info.IsDir()
	if t.made[path] {
		delete(t.made, path)
		if !folder {
			t.tell(fswatch.OpWrite, path)
		}
		return nil
	}
	t.tell(fswatch.OpCreate, path)
	if !folder || !t.s.opt.Recursive {
		return nil
	}
	return t.walk(path, true)
}

func (t *tree) renamed(path string) {
	delete(t.made, path)
	if t.moved[path] {
		delete(t.moved, path)
		return
	}
	if t.dirs[path] {
		if len(t.moved) >= remembered {
			clear(t.moved)
		}
		t.moved[path] = true
		t.drop(path)
	}
	t.tell(fswatch.OpRename, path)
}

func (t *tree) removed(path string) {
	delete(t.made, path)
	if t.dirs[path] { // what was below it was reported before
		delete(t.dirs, path)
		_ = t.w.Remove(path)
	}
	t.tell(fswatch.OpRemove, path)
}

// drop ends the watches of a folder that has another name now and of those below: the system
// would go on to report by the old name.
func (t *tree) drop(path string) {
	for dir := range t.dirs {
		if dir == path || strings.HasPrefix(dir, path+"/") {
			delete(t.dirs, dir)
			_ = t.w.Remove(dir)
		}
	}
}

// await waits until the folder is there again and tells of it as new.
func (t *tree) await(ctx context.Context) error {
	t.drop(t.root)
	tick := time.NewTicker(returnTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.w.Events: // late ones of what is gone
			continue
		case _, ok := <-t.w.Errors:
			if !ok {
				return fsnotify.ErrClosed
			}
			continue
		case <-tick.C:
		}
		info, err := os.Stat(t.root)
		if err != nil || !info.IsDir() {
			continue
		}
		t.tell(fswatch.OpCreate, t.root)
		clear(t.made)
		clear(t.moved)
		if err := t.walk(t.root, true); errors.Is(err, errLimit) {
			return err
		} else if err == nil {
			return nil
		}
	}
}
