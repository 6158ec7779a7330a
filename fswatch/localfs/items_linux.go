package localfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	firstRead = 8 << 10  // bytes: the whole of most folders
	laterRead = 64 << 10 // of those that are larger
)

// readItems reads an open folder and hands over what is in it, some at a time: the slice is
// used again. It is what os.File's ReadDir does, but with one allocation for the paths of a
// thousand items and not three for each, which of 100,000 is most of the time.
func readItems(folder *os.File, dir string, take func([]item) error) error {
	b := batch{folder: folder, dir: dir}
	buf := make([]byte, firstRead)
	for {
		n, err := unix.Getdents(int(folder.Fd()), buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		if err := b.read(buf[:n]); err != nil {
			return err
		}
		if err := take(b.items); err != nil {
			return err
		}
		if len(buf) < laterRead {
			buf = make([]byte, laterRead)
		}
	}
}

// batch is what one call of the system told.
type batch struct {
	folder *os.File
	dir    string // before each name
	items  []item
	names  [][]byte // of items, in the system's records
}

// The fields of the system's records, in bytes: inode, offset, length of the record, type,
// and the name up to a NUL.
const (
	recordLen  = 16
	recordType = 18
	recordName = 19
)

// read takes the system's records.
func (b *batch) read(records []byte) error {
	b.items, b.names = b.items[:0], b.names[:0]
	for len(records) > recordName {
		size := int(binary.NativeEndian.Uint16(records[recordLen:]))
		if size <= recordName || size > len(records) {
			return unix.EIO // no system writes such records
		}
		if err := b.add(records[:size]); err != nil {
			return err
		}
		records = records[size:]
	}
	b.cut()
	return nil
}

// add takes one record.
func (b *batch) add(record []byte) error {
	name := record[recordName:]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	if string(name) == "." || string(name) == ".." {
		return nil
	}
	mode, known := modeOfType(record[recordType])
	if !known {
		what, err := statAt(b.folder, string(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		mode = what.mode.Type()
	}
	b.items = append(b.items, item{base: int32(len(b.dir)), mode: mode})
	b.names = append(b.names, name)
	return nil
}

// cut gives the items their paths, which are cut from one string.
func (b *batch) cut() {
	size := 0
	for _, name := range b.names {
		size += len(b.dir) + len(name)
	}
	var paths strings.Builder
	paths.Grow(size)
	for _, name := range b.names {
		paths.WriteString(b.dir)
		paths.Write(name)
	}
	rest := paths.String()
	for i, name := range b.names {
		n := len(b.dir) + len(name)
		b.items[i].path, rest = rest[:n], rest[n:]
	}
}

// modeOfType is the type that a record of a folder has; not all file systems write it.
func modeOfType(t byte) (mode fs.FileMode, known bool) {
	switch t {
	case unix.DT_REG:
		return 0, true
	case unix.DT_DIR:
		return fs.ModeDir, true
	case unix.DT_LNK:
		return fs.ModeSymlink, true
	case unix.DT_FIFO:
		return fs.ModeNamedPipe, true
	case unix.DT_SOCK:
		return fs.ModeSocket, true
	case unix.DT_BLK:
		return fs.ModeDevice, true
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice, true
	}
	return 0, false
}

// stat describes a name in an open folder, itself and not what it leads to. The system need
// not walk to the folder once more.
func (f *FS) stat(folder *os.File, _, name string) (facts, error) { return statAt(folder, name) }

func statAt(folder *os.File, name string) (facts, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(folder.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return facts{}, err
		}
		break
	}
	return facts{
		mode: modeOf(st.Mode), size: st.Size, modTime: time.Unix(st.Mtim.Unix()),
		uid: st.Uid, gid: st.Gid, owned: true,
	}, nil
}

// modeOf is the system's mode as the standard library writes it.
func modeOf(m uint32) fs.FileMode {
	mode, _ := modeOfType(byte(m & unix.S_IFMT >> 12)) // the type's number in records too
	mode |= fs.FileMode(m & 0o777)
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
