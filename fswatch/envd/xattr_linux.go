package envd

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// attributes are the metadata of what is at rel below root.
func attributes(root *os.Root, rel string) map[string]string {
	dir, err := root.Open(path.Dir(rel))
	if err != nil {
		return nil
	}
	defer dir.Close()
	return attributesIn(dir, path.Base(rel))
}

// attributesIn are the metadata of what has this name in a folder, nil for none. It opens
// nothing: that could block, and needs rights that reading them does not.
func attributesIn(dir *os.File, name string) map[string]string {
	conn, err := dir.SyscallConn()
	if err != nil {
		return nil
	}
	var meta map[string]string
	_ = conn.Control(func(fd uintptr) {
		at := "/proc/self/fd/" + strconv.Itoa(int(fd)) + "/" + name
		meta = readAttributes(
			func(buf []byte) (int, error) { return unix.Llistxattr(at, buf) },
			func(attr string, buf []byte) (int, error) { return unix.Lgetxattr(at, attr, buf) })
	})
	return meta
}

// fileAttributes are the metadata of an open file.
func fileAttributes(f *os.File) map[string]string {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	var meta map[string]string
	_ = conn.Control(func(fd uintptr) {
		meta = readAttributes(
			func(buf []byte) (int, error) { return unix.Flistxattr(int(fd), buf) },
			func(attr string, buf []byte) (int, error) { return unix.Fgetxattr(int(fd), attr, buf) })
	})
	return meta
}

func readAttributes(list func([]byte) (int, error), get func(string, []byte) (int, error)) map[string]string {
	buf := make([]byte, 1<<10)
	n, err := list(buf)
	for errors.Is(err, unix.ERANGE) && len(buf) < 1<<17 {
		buf = make([]byte, 4*len(buf))
		n, err = list(buf)
	}
	if err != nil || n <= 0 {
		return nil
	}
	var meta map[string]string
	for attr := range strings.SplitSeq(string(buf[:n]), "\x00") {
		key, ok := strings.CutPrefix(attr, attrPrefix)
		if !ok || !utf8.ValidString(key) {
			continue
		}
		value := make([]byte, 1<<16) // the most that Linux allows
		size, err := get(attr, value)
		if err != nil || !utf8.Valid(value[:size]) {
			continue
		}
		if meta == nil {
			meta = map[string]string{}
		}
		meta[key] = string(value[:size])
	}
	return meta
}

// setAttributes replaces the metadata of an open file. A file system that has none is no
// error; it reports what is stored then.
func setAttributes(f *os.File, old, meta map[string]string) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for key := range old {
			if _, kept := meta[key]; !kept {
				failed = errors.Join(failed, unix.Fremovexattr(int(fd), attrPrefix+key))
			}
		}
		for key, value := range meta {
			failed = errors.Join(failed, unix.Fsetxattr(int(fd), attrPrefix+key, []byte(value), 0))
		}
	})
	if errors.Is(failed, unix.ENOTSUP) || errors.Is(failed, unix.ENODATA) {
		failed = nil
	}
	return errors.Join(err, failed)
}
