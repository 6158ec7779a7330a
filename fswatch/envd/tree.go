package envd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What a path can be refused for, beside what the system says.
var (
	errOutside  = errors.New("the path is outside of the folder that is served")
	errCycle    = errors.New("cyclic symlink or chain >255 links")
	errSomeHome = errors.New("cannot expand user-specific home dir")
)

// tree is the folder that is served. Names in it are absolute, and the same that every other
// program of this machine uses. Links are followed here, one part of a path at a time, and
// what comes out is opened below an os.Root: whoever swaps a folder for a link in between
// gets an error and no way out.
type tree struct {
	root  *os.Root
	real  string          // the folder's name without links
	alias string          // the name that it was given by
	above map[string]bool // the folders above, by either name
	solid map[string]bool // those of them that are no links
}

func openTree(dir string) (*tree, error) {
	alias, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(alias)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, real: real, alias: alias, above: map[string]bool{}, solid: map[string]bool{}}
	for d := parent(real); ; d = parent(d) {
		t.above[d], t.solid[d] = true, true
		if d == "/" {
			break
		}
	}
	for d := parent(alias); d != "/"; d = parent(d) {
		t.above[d] = true
	}
	return t, nil
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

func (t *tree) close() error { return t.root.Close() }

func (t *tree) inside(path string) bool {
	return path == t.real || t.real == "/" || strings.HasPrefix(path, t.real+"/")
}

// rel is a name for t.root.
func (t *tree) rel(path string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, t.real), "/")
	if rel == "" {
		return "."
	}
	return rel
}

// expand makes a client's path absolute: relative ones and ~ mean home. An absolute one is
// taken as it is, so that it comes back as it was sent.
func expand(path, home string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		return filepath.Join(home, strings.TrimLeft(path[1:], `/\`)), nil
	}
	if strings.HasPrefix(path, "~") {
		return "", errSomeHome
	}
	if strings.HasPrefix(path, "/") {
		return path, nil
	}
	return filepath.Join(home, path), nil
}

// place is where a path leads.
type place struct {
	path    string // as the client may see it
	rel     string // below the root, without links (the last part may be one if not followed)
	missing bool   // it does not exist; the folder above it may not either
}

// walker follows a path.
type walker struct {
	t     *tree
	pos   string // an absolute name without links, unless it is above the root
	rest  []string
	links int
}

// find follows path; its last part only if follow is set or a slash ends it. What does not
// exist is no error, unless the path goes on with "..".
func (t *tree) find(path string, follow bool) (place, error) {
	w := walker{t: t, pos: "/", rest: parts(path)}
	for len(w.rest) > 0 {
		missing, err := w.step(follow)
		if err != nil {
			return place{}, err
		}
		if missing {
			return place{path: path, rel: t.rel(w.pos), missing: true}, nil
		}
	}
	if !t.inside(w.pos) {
		return place{}, errOutside
	}
	return place{path: path, rel: t.rel(w.pos)}, nil
}

// parts are the names in a path. A slash at the end counts as ".", which asks for a folder.
func parts(path string) []string {
	var list []string
	for name := range strings.SplitSeq(path, "/") {
		if name != "" {
			list = append(list, name)
		}
	}
	if strings.HasSuffix(path, "/") {
		list = append(list, ".")
	}
	return list
}

// step goes one part further. It reports whether that part, and so the rest, is missing.
func (w *walker) step(follow bool) (missing bool, err error) {
	name := w.rest[0]
	w.rest = w.rest[1:]
	switch name {
	case ".":
		return false, nil
	case "..":
		if !w.t.inside(w.pos) && !w.t.solid[w.pos] {
			return false, errOutside
		}
		w.pos = parent(w.pos)
		return false, nil
	}
	next := join(w.pos, name)
	if !w.t.inside(w.pos) {
		return false, w.enter(next)
	}
	return w.look(next, follow)
}

// enter goes on above the root, where only the way to the root is known.
func (w *walker) enter(next string) error {
	switch {
	case next == w.t.real || next == w.t.alias:
		w.pos = w.t.real
	case w.t.above[next]:
		w.pos = next
	default:
		return errOutside
	}
	return nil
}

// look goes on inside the root.
func (w *walker) look(next string, follow bool) (missing bool, err error) {
	info, err := w.t.root.Lstat(w.t.rel(next))
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range w.rest {
			if name == ".." {
				return false, syscall.ENOENT
			}
			if name != "." {
				next = join(next, name)
			}
		}
		w.pos = next
		return true, nil
	}
	if err != nil {
		return false, err
	}
	last := len(w.rest) == 0
	if info.Mode()&fs.ModeSymlink != 0 && (!last || follow) {
		return false, w.link(next)
	}
	if !last && !info.IsDir() {
		return false, syscall.ENOTDIR
	}
	w.pos = next
	return false, nil
}

func (w *walker) link(at string) error {
	if w.links++; w.links > 255 {
		return errCycle
	}
	target, err := w.t.root.Readlink(w.t.rel(at))
	if err != nil {
		return err
	}
	if strings.HasPrefix(target, "/") {
		w.pos = "/"
	}
	w.rest = append(parts(target), w.rest...)
	return nil
}

// at says which path an error is about, instead of where it was found.
func at(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errOutside) || errors.Is(err, errCycle) || errors.Is(err, errSomeHome) {
		return fmt.Errorf("%s: %w", path, err)
	}
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
