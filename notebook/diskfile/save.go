package diskfile

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Save writes the file anew with what write writes. The new content takes the place of
// the old in one step (temporary file beside it, fsync, rename, fsync of the folder), with
// mode and owner kept and symlinks followed. Where that would break a link, an owner or
// an ACL, or cannot be, it is written in place after a copy of it was synced to StateDir.
//
// A file that may not be written to is not replaced, whatever the folder allows. After an
// error the old content is untouched, or Error.Copy names the new one, or, for ErrNotLasting,
// the file has the new content already. Save may be called again.
func (f *File) Save(write func(io.Writer) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote != nil {
		return f.saveRemote(write)
	}
	target, err := resolve(f.Path)
	if err != nil {
		return failed("save", f.Path, err)
	}
	old, err := f.writable(target)
	if err != nil {
		return failed("save", f.Path, err)
	}
	if old != nil && !replaceable(target, old) {
		return f.saveInPlace(target, write)
	}
	err = f.replace(target, old, write)
	var early *cannotReplace
	if errors.As(err, &early) && old != nil {
		return f.saveInPlace(target, write)
	}
	if early != nil {
		err = early.err
	}
	if err != nil {
		return failed("save", f.Path, err)
	}
	return nil
}

// lasting makes the renames in a folder last.
func (f *File) lasting(dir string) error {
	sync := f.syncDir
	if sync == nil {
		sync = syncDir
	}
	if err := sync(dir); err != nil {
		return fmt.Errorf("%w: %w", ErrNotLasting, err)
	}
	return nil
}

// resolve follows symlinks to what is to be written, also where that does not exist yet.
func resolve(path string) (string, error) {
	for range 40 { // as many as Linux follows
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", errors.New("too many levels of symbolic links")
}

// writable checks that target is a file that may be written, and returns what it is; nil
// where there is none yet.
func (f *File) writable(target string) (fs.FileInfo, error) {
	info, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Dir(target))
		return nil, err
	}
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, err
	}
	if f.info == nil {
		return nil, fs.ErrExist
	}
	w, err := os.OpenFile(target, os.O_WRONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return info, w.Close()
}

// cannotReplace is a failure before anything was changed that writing in place may get round.
type cannotReplace struct{ err error }

func (e *cannotReplace) Error() string { return e.err.Error() }

// replace writes a temporary file beside target and renames it. old is nil for a new file.
func (f *File) replace(target string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	tmp, err := createTemp(target, old == nil)
	if err != nil {
		return replaceError(err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close() // the first error is the one to tell
			_ = os.Remove(tmp.Name())
		}
	}()
	if old != nil {
		if err := keepOwner(tmp, old); err != nil {
			return &cannotReplace{err}
		}
		if err := tmp.Chmod(old.Mode().Perm() | old.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)); err != nil {
			return &cannotReplace{err}
		}
	}
	sum, err := fill(tmp, write)
	if err != nil {
		return err
	}
	info, err := tmp.Stat() // not later: then another program's file may have the name
	if err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), target); err != nil {
		return replaceError(err)
	}
	f.wrote(sum, info) // whatever comes now, the content is the new one
	return f.lasting(filepath.Dir(target))
}

// createTemp makes a new file beside target: for nobody else's eyes, or, where there is no
// old file whose mode it will get, with the mode that the umask gives.
func createTemp(target string, fresh bool) (*os.File, error) {
	mode := fs.FileMode(0o600)
	if fresh {
		mode = 0o666
	}
	dir, prefix := tempNames(target)
	for n := time.Now().UnixNano(); ; n++ {
		name := filepath.Join(dir, prefix+strconv.FormatInt(n, 36)+"~")
		tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return tmp, err
		}
	}
}

// tempNames is where the temporary files of saves of target are, and how their names begin.
func tempNames(target string) (dir, prefix string) {
	dir, base := filepath.Split(target)
	return filepath.Clean(dir + "."), "." + base[:min(len(base), 200)] + ".nbterm-" // names end at 255 bytes
}

// Unfinished lists the temporary files that saves of the file at path left which were
// killed more than a minute ago. They may be cut off.
func Unfinished(path string) []string {
	if IsRemote(path) {
		return nil
	}
	dir, prefix := tempNames(path)
	entries, _ := os.ReadDir(dir) // none where they cannot be listed
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), "~") {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// fill writes and syncs a file, and returns the sum of what was written.
func fill(file *os.File, write func(io.Writer) error) (hash.Hash, error) {
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(file, sum), 256<<10)
	if err := write(b); err != nil {
		return nil, err
	}
	if err := b.Flush(); err != nil {
		return nil, err
	}
	return sum, file.Sync()
}
