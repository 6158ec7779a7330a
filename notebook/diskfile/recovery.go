package diskfile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recovery keeps the unsaved content of one file that this process has open, under a name
// that no other process has. A small description lies beside it, locked as long as the
// Recovery is open: that is how others tell who has the file open from who was killed. It
// may be used from any goroutine.
type Recovery struct {
	dir  string
	name string // of the copy; the description has ".json" behind it
	held *os.File

	mu   sync.Mutex // guards all below
	note note
	kept bool // there is a copy
	shut bool
}

// note is the description as it lies on disk.
type note struct {
	Path  string    `json:"path"`
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Base  string    `json:"base"` // SHA-256 of the file that the copy's edits began with, "" for none
}

const described = ".json"

// OpenRecovery registers that this process has the file at path open. stateDir is made if
// need be, for the user's eyes only; where it is "", a fresh folder for temporary files serves.
func OpenRecovery(stateDir, path string) (*Recovery, error) {
	dir := filepath.Join(stateDir, "recovery")
	err := error(nil)
	if stateDir == "" {
		dir, err = os.MkdirTemp("", "nbterm-recovery-*")
	} else if err = private(stateDir); err == nil {
		err = private(dir)
	}
	if err != nil {
		return nil, noCopies(path, stateDir, err)
	}
	host, _ := os.Hostname() // "" does as well
	r := &Recovery{
		dir: dir, name: identity(path) + "-" + strings.ToLower(rand.Text()[:10]) + "-" + shortName(path),
		note: note{Path: RealPath(path), PID: os.Getpid(), Host: host, Since: time.Now().Round(time.Second)},
	}
	text, err := json.Marshal(r.note)
	if err == nil {
		r.held, err = claim(filepath.Join(dir, r.name+described), text)
	}
	if err != nil {
		return nil, noCopies(path, stateDir, err)
	}
	return r, nil
}

// noCopies names the folder that is at fault, which is not the one of the file.
func noCopies(path, stateDir string, err error) error {
	folder := "the state folder " + stateDir
	if stateDir == "" {
		folder = "the folder for temporary files " + os.TempDir()
	}
	return &Error{Op: "keep copies of", Path: path, Err: err, Next: folder + " must be one that you may write to, with room in it"}
}

// shortName ends the name of a copy; names end at 255 bytes.
func shortName(path string) string {
	base := filepath.Base(path)
	return base[max(len(base)-150, 0):]
}

// private makes a folder that nobody else can look into.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// RealPath is the one name of the file that path leads to, also where it does not exist yet.
func RealPath(path string) string {
	if IsRemote(path) {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if target, err := resolve(abs); err == nil {
		abs = target
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	return abs
}

// identity begins the names of all copies of one file.
func identity(path string) string {
	sum := sha256.Sum256([]byte(RealPath(path)))
	return hex.EncodeToString(sum[:8])
}

// describe writes the description. It is written over, never made anew: the lock hangs on it.
func (r *Recovery) describe() error {
	text, err := json.Marshal(r.note)
	if err != nil {
		return err
	}
	if _, err := r.held.WriteAt(text, 0); err != nil {
		return err
	}
	return r.held.Truncate(int64(len(text)))
}

// Write replaces the copy in one step, synced. base is the SHA-256 of the file's content
// that the unsaved edits began with. After Close it is fs.ErrClosed.
func (r *Recovery) Write(base []byte, write func(io.Writer) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		return fs.ErrClosed
	}
	if sum := hex.EncodeToString(base); sum != r.note.Base {
		r.note.Base = sum
		if err := r.describe(); err != nil {
			return failed("keep a copy of", r.note.Path, err)
		}
	}
	tmp := filepath.Join(r.dir, r.name+".tmp")
	err := create(tmp, write)
	if err == nil {
		err = os.Rename(tmp, filepath.Join(r.dir, r.name))
	}
	if err != nil {
		_ = os.Remove(tmp) // the first error is the one to tell
		return failed("keep a copy of", r.note.Path, err)
	}
	r.kept = true
	return syncDir(r.dir)
}

func create(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = fill(file, write)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}

// Copy is where the copy is, "" if there is none.
func (r *Recovery) Copy() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.kept {
		return ""
	}
	return filepath.Join(r.dir, r.name)
}

// Clear removes the copy: all is saved, or discarded.
func (r *Recovery) Clear() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clear()
}

func (r *Recovery) clear() error {
	if !r.kept {
		return nil
	}
	r.kept = false
	return os.Remove(filepath.Join(r.dir, r.name))
}

// Close says that this process has the file open no more. With keep, a copy stays for
// whoever opens the file next.
func (r *Recovery) Close(keep bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := error(nil)
	if !keep {
		err = r.clear()
	}
	left := r.kept
	r.shut = true
	_ = r.held.Close() // nothing is buffered
	if !left {
		err = errors.Join(err, os.Remove(filepath.Join(r.dir, r.name+described)))
	}
	return err
}

// Owner is a program that has, or had, a file open.
type Owner struct {
	PID   int
	Host  string
	Since time.Time
}

// Lost is a copy that a program left behind which ended without saving.
type Lost struct {
	Owner
	Path    string    // of the file it is a copy of
	Copy    string    // where it is
	Base    string    // SHA-256, as hexadecimal digits, of the file its edits began with; "" for none
	Written time.Time // when
}

// Began is the SHA-256 of the file that the copy's edits began with, nil for none.
func (l Lost) Began() []byte {
	sum, err := hex.DecodeString(l.Base)
	if err != nil || len(sum) == 0 {
		return nil
	}
	return sum
}

// Remove removes a copy that is needed no more.
func (l Lost) Remove() error {
	_ = os.Remove(l.Copy + ".tmp") // of a copy that was being written
	return errors.Join(os.Remove(l.Copy), os.Remove(l.Copy+described))
}

// Discard puts a copy that its user does not want among the files that are kept for some
// time, for who answered too quickly.
func (l Lost) Discard(stateDir string) error {
	dir, err := keepDir(stateDir)
	if err == nil {
		err = os.Rename(l.Copy, filepath.Join(dir, time.Now().Format(stamp)+filepath.Base(l.Copy)))
	}
	if err != nil {
		return failed("discard", l.Copy, err)
	}
	return os.Remove(l.Copy + described)
}

// Others tells who else has this Recovery's file open, and which copies of it were left
// behind by programs that are gone, the newest first.
func (r *Recovery) Others() (living []Owner, lost []Lost, err error) {
	return look(r.dir, r.note.Path, r.name)
}

// Copies lists the copies of the file at path that were left behind, the newest first.
func Copies(stateDir, path string) ([]Lost, error) {
	_, lost, err := look(filepath.Join(stateDir, "recovery"), path, "")
	return lost, err
}

func look(dir, path, except string) (living []Owner, lost []Lost, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, failed("look for copies of", path, err)
	}
	prefix := identity(path) + "-"
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), described)
		if !ok || name == except || !strings.HasPrefix(name, prefix) {
			continue
		}
		copied := filepath.Join(dir, name)
		n := readNote(copied + described)
		owner := Owner{PID: n.PID, Host: n.Host, Since: n.Since}
		if claimed(copied+described, owner) {
			if !slices.ContainsFunc(living, func(o Owner) bool { return o.PID == n.PID && o.Host == n.Host }) {
				living = append(living, owner)
			}
			continue
		}
		info, err := os.Stat(copied)
		if err != nil {
			_ = os.Remove(copied + described) // its owner was killed before there was anything to keep
			_ = os.Remove(copied + ".tmp")
			continue
		}
		lost = append(lost, Lost{Owner: owner, Path: n.Path, Copy: copied, Base: n.Base, Written: info.ModTime()})
	}
	slices.SortFunc(lost, func(a, b Lost) int { return b.Written.Compare(a.Written) })
	return living, lost, nil
}

// readNote reads a description. One that is damaged says nothing: its name says what it is of.
func readNote(path string) note {
	var n note
	data, err := os.ReadFile(path)
	if err == nil {
		_ = json.Unmarshal(data, &n)
	}
	return n
}
