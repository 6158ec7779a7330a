package preview

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/render"
)

const (
	tailSize  = Limit / 4 // is read from the end of a large file
	sniffSize = 64 << 10  // tells what it is
)

// parts is what was read of a file: all of it, or its beginning and its end.
type parts struct {
	head, tail []byte
	size       int64 // of the whole file
	tailAt     int64 // where tail begins
}

// whole tells whether all of the file was read.
func (p parts) whole() bool { return int64(len(p.head)) >= p.size }

// missing says how much was not read.
func (p parts) missing() string {
	n := p.size - int64(len(p.head)) - int64(len(p.tail))
	if n <= 0 {
		return ""
	}
	if len(p.tail) == 0 {
		return "the first " + render.ByteSize(int64(len(p.head)))
	}
	return fmt.Sprintf("the first %s and the last %s", render.ByteSize(int64(len(p.head))), render.ByteSize(int64(len(p.tail))))
}

// readParts reads a file, or its ends: never more than Limit. Of a file that grows
// meanwhile it is what was there.
func readParts(ctx context.Context, files fswatch.FS, name fswatch.Path) (parts, error) {
	body, opened, err := files.Open(ctx, name, fswatch.Range{Length: Limit})
	if err != nil {
		return parts{}, err
	}
	p := parts{size: max(opened.Size, 0)}
	ends := p.size > Limit && files.Capabilities().Ranges
	p.head, err = io.ReadAll(io.LimitReader(body, sniffSize))
	tail := int64(tailSize)
	switch {
	case err != nil:
	case ends && isZip(p.head): // what it holds stands at its end
		tail = Limit - sniffSize
	case ends && isTar(p.head): // its members are looked for one by one
		tail = 0
	default:
		rest := int64(Limit)
		if ends {
			rest -= tailSize
		}
		var more []byte
		more, err = io.ReadAll(io.LimitReader(body, rest-int64(len(p.head))))
		p.head = append(p.head, more...)
	}
	if closeErr := body.Close(); err == nil && closeErr != nil && !errors.Is(closeErr, context.Canceled) && p.size <= Limit {
		err = closeErr
	}
	if err != nil {
		return parts{}, err
	}
	if tail == 0 {
		return p, nil
	}
	if !ends {
		if len(p.head) < Limit || p.size < int64(len(p.head)) {
			p.size = int64(len(p.head)) // of files whose size is not known, and those of /proc
		}
		return p, nil
	}
	p.tailAt = max(p.size-tail, int64(len(p.head)))
	body, _, err = files.Open(ctx, name, fswatch.Range{Offset: p.tailAt, Length: tail})
	if err != nil {
		return p, nil // it became shorter meanwhile
	}
	defer body.Close()
	p.tail, err = io.ReadAll(io.LimitReader(body, tail))
	return p, err
}

// ReadAt reads of what was read, at the file's offsets.
func (p parts) ReadAt(b []byte, off int64) (int, error) {
	at, from := p.head, off
	if len(p.tail) > 0 && off >= p.tailAt {
		at, from = p.tail, off-p.tailAt
	}
	if from < 0 || from >= int64(len(at)) {
		if off >= p.size {
			return 0, io.EOF
		}
		return 0, errNotRead
	}
	n := copy(b, at[from:])
	if n < len(b) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

// errNotRead says that a part of the file is wanted that a preview does not read.
var errNotRead = errors.New("this part of the file is not read for a preview")
