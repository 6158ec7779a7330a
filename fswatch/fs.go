package fswatch

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Path names a file or folder of one FS. It is bytes, not text: a local name may have
// newlines and bad UTF-8. Elements are separated by slashes. An absolute path is used as it
// is; an empty or relative one starts at the FS's Root.
type Path = string

// FS is the files of one place: this machine, a sandbox, a server. Its methods may be called
// from any goroutine. Each error is an *Error or a *TimeoutError, or the context's own.
//
// A context bounds the call. For Open and Write it bounds everything up to the end of the
// body, for Watch only the opening.
type FS interface {
	// Capabilities is what this FS can do. It does not wait and does not change.
	Capabilities() Capabilities

	// Root is the folder that a tree begins with and relative paths start at, absolute.
	Root(ctx context.Context) (Path, error)

	// List returns what is in a folder, not the folder itself: in pre-order, siblings by the
	// bytes of their names, hidden ones too. A symlink to a folder is followed as dir, and
	// listed but not entered below it. A folder inside that cannot be read is listed with its
	// Problem. Errors: NotFound (missing, dangling link), Invalid (not a folder, link cycle),
	// Permission.
	List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error)

	// Stat describes one thing, a symlink itself: a dangling one exists. Errors: NotFound,
	// Permission, Invalid (below a file, a name that is too long or has a NUL).
	Stat(ctx context.Context, path Path) (Entry, error)

	// Open reads a file, or a part of it. The Entry has the whole file's size, -1 where it is
	// not known beforehand. Symlinks are followed. Errors: NotFound, Permission, Invalid (a
	// folder; a pipe, socket or device: those are never opened; a range that begins behind
	// the end of a file that is not empty). The caller closes the reader.
	Open(ctx context.Context, path Path, part Range) (io.ReadCloser, Entry, error)

	// Write writes files one after the other, each whole or not at all where Capabilities
	// says Atomic, and returns what it wrote. Missing parent folders are made. What a file
	// replaces keeps its permission bits; symlinks are followed. It stops at the first error;
	// files before it stay written. Errors: Exists (only with WriteOptions.New), Permission,
	// NoSpace, Invalid (a folder is there, a parent is a file), Unsupported (a name or an
	// option that this FS cannot carry). An error of a File's Body comes back wrapped.
	Write(ctx context.Context, files []File, opt WriteOptions) ([]Entry, error)

	// Mkdir makes a folder and its missing parents. created is false where it was there.
	// Errors: Invalid (something else is there or in the way), Permission.
	Mkdir(ctx context.Context, path Path) (created bool, err error)

	// Move gives a file or folder another path; missing parents are made. It replaces a file
	// only with MoveOptions.Replace, a folder never. Errors: NotFound, Exists, Permission,
	// Invalid (into itself), Unsupported (to another device).
	Move(ctx context.Context, from, to Path, opt MoveOptions) (Entry, error)

	// Remove deletes a file, a symlink (never its target) or a folder with all that is in
	// it. What is not there is no error. Errors: Permission, Invalid (an empty path, the root
	// of the file system, the FS's Root or a folder above it).
	Remove(ctx context.Context, path Path) error

	// Watch reports what happens in a folder, from before it returns. Errors: NotFound,
	// Invalid (not a folder), Permission, Unsupported.
	Watch(ctx context.Context, dir Path, opt WatchOptions) (Stream, error)

	// Close ends what this FS has open: connections and watches.
	Close() error
}

// Naming is an FS that can tell the names in a large folder without making a list of them,
// which takes about as long as reading them.
type Naming interface {
	// Names calls each for everything in a folder, in no order, with what ListOptions.Quick
	// asks for and without a Path, which only a symlink has. The Entry is used again, its
	// strings are not. Errors: those of List; what was told by then is not all.
	Names(ctx context.Context, dir Path, each func(*Entry)) error
}

// Capabilities is what an FS can do. Callers ask it, never for the FS's type.
type Capabilities struct {
	Name      string // for people, such as "this machine" or "sandbox i3x"
	Remote    bool   // files are elsewhere: each call is a round trip
	AnyBytes  bool   // names may have any bytes but NUL and slash, else they must be UTF-8
	Push      bool   // Watch is told of changes, else it lists again every two seconds
	Recursive bool   // Watch can be recursive
	Ordered   bool   // events come in the order in which things happened
	Entries   bool   // events can carry an Entry
	Ranges    bool   // Open reads parts without reading the rest
	Gzip      bool   // Write can compress on the way
	Meta      bool   // files can carry metadata
	Atomic    bool   // Write replaces a file in one step: no reader sees half of it
	Links     bool   // there can be symlinks
	Modes     bool   // entries have permission bits and owners
}

// Type is what a path leads to.
type Type string

// The types.
const (
	TypeFile  Type = "file"
	TypeDir   Type = "dir"
	TypeOther Type = "other" // a pipe, socket or device: never to be opened
	TypeNone  Type = ""      // a symlink that leads nowhere
)

// Entry describes a file or folder. Of a symlink, Type and the permission bits of Mode are
// its final target's, all else is its own.
type Entry struct {
	Name    string // the last element of Path
	Path    Path   // as it was asked for, absolute; in List the asked folder joined with the names below
	Type    Type
	Mode    fs.FileMode // as by lstat: the type bits too
	Size    int64       // in bytes; of a symlink the length of its text
	ModTime time.Time   // zero where it is not known
	Owner   string      // a name, or a number that has no name
	Group   string
	Link    bool              // it is a symlink,
	Target  Path              // which leads there: absolute and resolved, its own Path where it cannot be
	Problem Kind              // why it cannot be read: NotFound, Invalid (link cycle), Permission; "" if nothing is known
	Meta    map[string]string // nil if there is none
}

// IsDir tells whether it can be listed: a folder, or a symlink to one.
func (e Entry) IsDir() bool { return e.Type == TypeDir }

// ListOptions says how much to list.
type ListOptions struct {
	Depth int  // levels; 0 is 1
	Quick bool // names, types and links only: all other fields may be zero
	Meta  bool // metadata too, where Capabilities has it
}

// Range is a part of a file: Length bytes from Offset. A Length of 0 means to the end, a
// negative Offset counts from the end. The zero Range is the whole file. Of a part that
// goes beyond the end there is what there is, and an empty file is empty for every Range.
type Range struct{ Offset, Length int64 }

// File is one file to write.
type File struct {
	Path Path
	Body io.Reader
	Size int64       // of Body in bytes, -1 if it is not known; another length is an error
	Mode fs.FileMode // permission bits of a new file; 0 is the FS's default (0666 less the umask)
}

// WriteOptions says how to write.
type WriteOptions struct {
	New  bool              // fail with Exists where something is there
	Gzip bool              // compress on the way; needs Capabilities.Gzip
	Meta map[string]string // on every file, in place of what it had; needs Capabilities.Meta
}

// MoveOptions says how to move.
type MoveOptions struct {
	Replace bool // a file that is there gives way
}

// WatchOptions says what to watch.
type WatchOptions struct {
	Recursive     bool // all folders below too; symlinks are not followed
	Entries       bool // Create, Write and Chmod carry an Entry, where there still is one
	NetworkMounts bool // also where other machines' changes are not reported, without polling
}

// Op is what happened.
type Op string

// The operations. A rename inside the folder is a Rename of the old name and a Create of
// the new one. Consecutive equal events may come as one.
const (
	OpCreate Op = "create"
	OpWrite  Op = "write"
	OpRemove Op = "remove"
	OpRename Op = "rename" // away from this name
	OpChmod  Op = "chmod"
	OpResync Op = "resync" // events were lost: list again. Name is "."
)

// Event is one thing that happened. Name is relative to the watched folder; "." is the
// folder itself: its Remove or Rename leaves the stream open, and a Create tells that it is
// back.
type Event struct {
	Op    Op
	Name  Path
	Entry *Entry
}

// Stream is the events of one watch. It keeps what nobody took yet, up to a bound; beyond it
// they give way to one OpResync: nothing is lost in silence.
type Stream interface {
	// Next waits for events and returns all that there are, in order. An error other than the
	// context's is the end and its reason, which every later call repeats: io.EOF after Close,
	// else a typed error.
	Next(ctx context.Context) ([]Event, error)

	// Mode tells how changes are known: ModePush, or ModePoll and why.
	Mode() (Mode, error)

	// Close ends the watch and waits until it ended. It may be called more than once.
	Close() error
}
