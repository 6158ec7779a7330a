package fswatch

import "context"

// Watcher tells which of a set of folders changed: what a tree pane needs, however much
// happens in them. It watches just the wanted folders, not what is below. A change is told
// 50 ms after it, those that follow once 200 ms were quiet, but at the latest a second after
// the first. Its methods may be called from any goroutine.
//
// NewWatcher makes one for any FS.
type Watcher interface {
	// Want replaces the set of watched folders. It does not wait. A folder that is new in the
	// set is told as dirty once it is watched, so that a caller who listed it before misses
	// nothing; one that is missing is told when it appears.
	Want(dirs []Path)

	// Next waits until something changed. After Close it returns io.EOF. It also returns, with
	// an empty Change, when Mode changed.
	Next(ctx context.Context) (Change, error)

	// Mode tells how changes are known: ModePush, or ModePoll and why. It is ModePoll as soon as one
	// wanted folder has to be polled, for an FS that cannot push with a nil error.
	Mode() (Mode, error)

	// Close ends watching and waits until it ended. It may be called more than once.
	Close() error
}

// Change is what a Watcher tells.
type Change struct {
	Dirty []Path // folders to list again, as Want named them, sorted
	// Names are, for some of them, the entries that something happened to: all others are as
	// they were at the last Change. A dirty folder that is not in it is to be listed whole.
	Names  map[Path][]string
	Resync bool // anything may have changed: Dirty is all wanted folders
}
