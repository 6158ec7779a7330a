package diskfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// State is how a file on disk stands to what was last read or written.
type State uint8

// The states. A file that was touched, or written anew with the same content, is the same.
const (
	Same     State = iota
	Modified       // another content, or a file where there was none
	Missing        // deleted, or renamed: see NewName
	NotFile        // a folder or something else took its place
)

// slack is how much older than our look at a file its time of change must be to prove
// that it was not changed after that look within one tick of a coarse clock.
const slack = 2 * time.Second

// State looks at the file on disk. It reads it only where its size and times prove nothing.
func (f *File) State() (State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote != nil {
		return f.remoteState()
	}
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.info == nil {
			return Same, nil
		}
		return Missing, nil
	case err != nil:
		return Same, failed("open", f.Path, err)
	case !info.Mode().IsRegular():
		return NotFile, nil
	case f.info == nil || info.Size() != f.info.Size() && !f.seen.IsZero():
		return Modified, nil
	case os.SameFile(info, f.info) && info.ModTime().Equal(f.info.ModTime()) && f.seen.Sub(info.ModTime()) > slack:
		return Same, nil
	}
	return f.compare(info)
}

// AsOf is the file as it stood when its content had that SHA-256, nil for when there was
// none: what another program wrote since is a change that State tells of.
func (f *File) AsOf(sum []byte) *File {
	f.mu.Lock()
	defer f.mu.Unlock()
	then := &File{Path: f.Path, StateDir: f.StateDir, syncDir: f.syncDir}
	if f.remote != nil {
		then.remote = &remote{Remote: f.remote.Remote, exists: sum != nil}
		then.sum = sum
		return then
	}
	if sum != nil {
		then.info, then.sum = f.info, sum // never seen: its times prove nothing
	}
	return then
}

// compare reads the file and compares its sum.
func (f *File) compare(info fs.FileInfo) (State, error) {
	r, err := os.OpenFile(f.Path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return Same, failed("open", f.Path, err)
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return Same, failed("open", f.Path, err)
	}
	if !bytes.Equal(h.Sum(nil), f.sumLocked()) {
		return Modified, nil
	}
	f.info, f.seen = info, time.Now() // touched: remembered, so that the next look is cheap
	return Same, nil
}

// Changed tells whether the content on disk differs from what was last read or written;
// a file that was deleted, or came into being, has changed. Touching it is no change.
func (f *File) Changed() (bool, error) {
	state, err := f.State()
	return state != Same, err
}

// NewName finds the name that a missing file was given in its folder, "" for none.
func (f *File) NewName() string {
	f.mu.Lock()
	was := f.info
	f.mu.Unlock()
	if was == nil {
		return ""
	}
	dir := filepath.Dir(f.Path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && os.SameFile(info, was) {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}

// keptFor is how long copies of files that were written over are kept.
const keptFor = 30 * 24 * time.Hour

// stamp begins the names of files that are kept for some time.
const stamp = "20060102-150405-"

// keepDir makes the folder for files that are kept for some time, and forgets old ones.
func keepDir(stateDir string) (string, error) {
	dir := filepath.Join(stateDir, "replaced")
	if err := private(stateDir); err != nil {
		return "", err
	}
	if err := private(dir); err != nil {
		return "", err
	}
	forget(dir)
	return dir, nil
}

// KeepOld copies what is on disk at path, which is about to be written over though
// another program put it there, into stateDir. It returns the copy's path.
func KeepOld(stateDir, path string) (string, error) {
	from, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", failed("keep a copy of", path, err)
	}
	defer from.Close()
	return keep(stateDir, path, from)
}

// forget removes what was kept long enough.
func forget(dir string) {
	entries, _ := os.ReadDir(dir) // nothing to forget where nothing can be read
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
