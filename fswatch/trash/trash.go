package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Can is the trash of a user.
type Can struct {
	Home string // the folder of the trash, such as ~/.local/share/Trash; made when it is needed
	UID  int    // for trash folders at the tops of other file systems
}

// Of is the trash of this user, as the environment says; ok is false where this system has
// none that we know.
func Of(getenv func(string) string) (c Can, ok bool) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return Can{}, false
	}
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return Can{}, false
		}
		data = filepath.Join(home, ".local", "share")
	}
	return Can{Home: filepath.Join(data, "Trash"), UID: os.Getuid()}, true
}

// Item is something in the trash.
type Item struct {
	From string // where it was
	file string // where it is
	info string // what says so
}

// Put moves a file or folder into the trash. A symlink is moved itself. The error says why
// there is no trash for it, such as that it lies on a file system where none can be made.
func (c Can) Put(path string) (Item, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Item{}, err
	}
	if _, err := os.Lstat(abs); err != nil {
		return Item{}, err
	}
	if inside(abs, c.Home) || inside(c.Home, abs) {
		return Item{}, fmt.Errorf("%s is part of the trash", abs)
	}
	item, err := put(abs, c.Home, abs)
	if !errors.Is(err, errOtherDevice) {
		return item, err
	}
	top, err := topOf(abs)
	if err != nil {
		return Item{}, err
	}
	relative, err := filepath.Rel(top, abs)
	if err != nil {
		return Item{}, err
	}
	return put(abs, filepath.Join(top, ".Trash-"+strconv.Itoa(c.UID)), relative)
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

var errOtherDevice = errors.New("it is on another file system than the trash")

// put moves a file into one trash folder. name is what its note says.
func put(abs, dir, name string) (Item, error) {
	for _, sub := range []string{"files", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return Item{}, err
		}
	}
	if !sameDevice(filepath.Join(dir, "files"), filepath.Dir(abs)) {
		return Item{}, errOtherDevice
	}
	note := fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n", (&url.URL{Path: name}).EscapedPath(), time.Now().Format("2006-01-02T15:04:05"))
	base := filepath.Base(abs)
	for n := 1; ; n++ {
		if n > 1 {
			ext := filepath.Ext(abs)
			base = strings.TrimSuffix(filepath.Base(abs), ext) + "." + strconv.Itoa(n) + ext
		}
		item := Item{From: abs, file: filepath.Join(dir, "files", base), info: filepath.Join(dir, "info", base+".trashinfo")}
		err := claim(item.info, note)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return Item{}, err
		}
		if _, err := os.Lstat(item.file); err == nil { // without a note: not ours to replace
			_ = os.Remove(item.info)
			continue
		}
		if err := os.Rename(abs, item.file); err != nil {
			_ = os.Remove(item.info)
			return Item{}, err
		}
		return item, nil
	}
}

// claim makes a note that must not be there yet: the name in the trash is ours then.
func claim(name, note string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(note)
	return errors.Join(err, f.Close())
}

// Restore brings an item back to where it was. It replaces nothing: fs.ErrExist where
// something is there again.
func (i Item) Restore() error {
	if _, err := os.Lstat(i.From); err == nil {
		return &fs.PathError{Op: "restore", Path: i.From, Err: fs.ErrExist}
	}
	if err := os.MkdirAll(filepath.Dir(i.From), 0o777); err != nil {
		return err
	}
	if err := os.Rename(i.file, i.From); err != nil {
		return err
	}
	_ = os.Remove(i.info) // a note too many is cleaned up by others
	return nil
}
