package diskfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Remote is one file that lies elsewhere than on this machine's disk, such as on a server.
// Its methods wait no longer than a user would, and may be called from any goroutine. One
// that does not exist is fs.ErrNotExist; what is no file ErrDirectory.
type Remote interface {
	// Get reads the file.
	Get() ([]byte, Stamp, error)
	// Stat is Get without the content.
	Stat() (Stamp, error)
	// Put replaces the file's content, or makes the file.
	Put(data []byte) (Stamp, error)
}

// Stamp is what tells one version of a remote file from another.
type Stamp struct {
	Version  string // another one whenever the file was written; "" proves nothing
	ReadOnly bool
}

// remote is what a File knows of the remote file that it stands for.
type remote struct {
	Remote
	stamp  Stamp
	exists bool
}

// IsRemote tells whether a path, as people give it, is the address of a file elsewhere.
func IsRemote(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && !strings.ContainsAny(scheme, `/\. `) || strings.HasPrefix(path, "e2b:")
}

// ReadRemote reads a remote file. path is its address, without anything secret. Errors are
// *Error; the caller may not change data.
func ReadRemote(path string, r Remote) (data []byte, f *File, err error) {
	data, stamp, err := r.Get()
	if err != nil {
		return nil, nil, failed("open", path, err)
	}
	return data, &File{Path: path, seen: time.Now(), data: data, remote: &remote{r, stamp, true}}, nil
}

// NewRemote stands for a remote file that does not exist yet. Save refuses if it exists then.
func NewRemote(path string, r Remote) *File {
	return &File{Path: path, remote: &remote{Remote: r}}
}

// Reread reads the file anew, as a File of its own.
func (f *File) Reread() (data []byte, again *File, err error) {
	if f.remote != nil {
		data, again, err = ReadRemote(f.Path, f.remote.Remote)
	} else {
		data, again, err = Read(f.Path)
	}
	if again != nil {
		again.StateDir = f.StateDir
	}
	return data, again, err
}

// KeepOld is KeepOld for what the file is now, wherever it lies.
func (f *File) KeepOld(stateDir string) (string, error) {
	if f.remote == nil {
		return KeepOld(stateDir, f.Path)
	}
	data, _, err := f.remote.Get()
	if err != nil {
		return "", failed("keep a copy of", f.Path, err)
	}
	return keep(stateDir, f.Path, bytes.NewReader(data))
}

// remoteState is State for a remote file. mu is held.
func (f *File) remoteState() (State, error) {
	r := f.remote
	stamp, err := r.Stat()
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.exists:
		return Missing, nil
	case errors.Is(err, fs.ErrNotExist):
		return Same, nil
	case errors.Is(err, ErrDirectory):
		return NotFile, nil
	case err != nil:
		return Same, failed("open", f.Path, err)
	case !r.exists:
		return Modified, nil
	case stamp.Version != "" && stamp.Version == r.stamp.Version && !f.seen.IsZero():
		r.stamp = stamp
		return Same, nil
	}
	data, stamp, err := r.Get()
	if err != nil {
		return Same, failed("open", f.Path, err)
	}
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], f.sumLocked()) {
		return Modified, nil
	}
	r.stamp, f.seen = stamp, time.Now() // touched
	return Same, nil
}

// saveRemote is Save for a remote file. mu is held.
func (f *File) saveRemote(write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return failed("save", f.Path, err)
	}
	if !f.remote.exists {
		if _, err := f.remote.Stat(); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = fs.ErrExist
			}
			return failed("save", f.Path, err)
		}
	}
	stamp, err := f.remote.Put(b.Bytes())
	if err != nil {
		return failed("save", f.Path, err)
	}
	sum := sha256.Sum256(b.Bytes())
	f.remote.stamp, f.remote.exists = stamp, true
	f.seen, f.data, f.sum = time.Now(), nil, sum[:]
	return nil
}

// exists tells whether there was a file. mu is held.
func (f *File) exists() bool {
	if f.remote != nil {
		return f.remote.exists
	}
	return f.info != nil
}

// keep copies content that is about to be lost into stateDir and returns the copy's path.
func keep(stateDir, path string, from io.Reader) (string, error) {
	dir, err := keepDir(stateDir)
	if err != nil {
		return "", failed("keep a copy of", path, err)
	}
	to, err := os.CreateTemp(dir, time.Now().Format(stamp)+"*-"+shortName(path))
	if err != nil {
		return "", failed("keep a copy of", path, err)
	}
	_, err = fill(to, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(to.Name()) // the first error is the one to tell
		return "", failed("keep a copy of", path, err)
	}
	return to.Name(), nil
}
