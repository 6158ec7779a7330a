package kernelclient

import (
	"context"
	"errors"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// Cursor is a place in a log: everything up to and with this Seq was seen. The zero Cursor
// is the beginning. Numbers of another Epoch mean nothing: a log that another process took
// up has an epoch of its own.
type Cursor struct {
	Epoch string
	Seq   uint64
}

// ErrCompacted says that the log does not keep any more what came behind a cursor. Who
// follows from the zero Cursor then gets all that no file has: a run is kept whole or not
// at all, so applying it once more changes nothing.
var ErrCompacted = errors.New("the log was shortened behind this place")

// SaveMark says what a file has.
type SaveMark struct {
	Path   string          // absolute
	SHA256 string          // of the file's bytes, hex
	Cursor Cursor          // the last event whose outputs are in the file; zero: of none
	Cells  []event.CellKey // of all cells of that file, in its order
}

// Saved implements Context. What ended by the mark's cursor is dropped: see compaction.
func (l *Log) Saved(_ context.Context, mark SaveMark) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing {
		return errStopped()
	}
	if mark.Cursor.Epoch != l.store.epoch {
		mark.Cursor = Cursor{} // of an earlier process's log: what it names is not known
	}
	l.info.Saved = mark
	l.store.compact(mark.Cursor.Seq)
	l.describe()
	return nil
}
