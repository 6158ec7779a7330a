package localfs

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/nbterm/nbterm/fswatch"
)

const (
	hasMeta    = true
	metaPrefix = "user.e2b." // where E2B's daemon keeps metadata
	metaLimit  = 64 << 10    // of the list of names and of a value: the system has no more
)

// readMeta is a file's metadata, nil if there is none or it cannot be read.
func readMeta(path fswatch.Path) map[string]string {
	n, err := unix.Llistxattr(path, nil)
	if err != nil || n <= 0 || n > metaLimit {
		return nil
	}
	list := make([]byte, n)
	if n, err = unix.Llistxattr(path, list); err != nil {
		return nil
	}
	var meta map[string]string
	for name := range strings.SplitSeq(string(list[:n]), "\x00") {
		key, ok := strings.CutPrefix(name, metaPrefix)
		if !ok || !utf8.ValidString(key) {
			continue
		}
		if value, ok := readValue(path, name); ok {
			if meta == nil {
				meta = map[string]string{}
			}
			meta[key] = value
		}
	}
	return meta
}

func readValue(path fswatch.Path, name string) (string, bool) {
	n, err := unix.Lgetxattr(path, name, nil)
	if err != nil || n > metaLimit {
		return "", false
	}
	value := make([]byte, n)
	if n > 0 {
		if n, err = unix.Lgetxattr(path, name, value); err != nil {
			return "", false
		}
	}
	return string(value[:n]), utf8.Valid(value[:n])
}

// writeMeta gives a new file its metadata. A file system that has no place for it takes the
// file all the same, as E2B's daemon does.
func writeMeta(file *os.File, meta map[string]string) error {
	for key, value := range meta {
		err := unix.Fsetxattr(int(file.Fd()), metaPrefix+strings.ToLower(key), []byte(value), 0)
		if err == unix.ENOTSUP {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clearMeta takes the metadata off a file that is written in place.
func clearMeta(file *os.File) {
	for key := range readMeta(file.Name()) {
		_ = unix.Fremovexattr(int(file.Fd()), metaPrefix+key)
	}
}
