package fswatch

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
)

const (
	// manyEntries is from where on a polled folder is listed less often.
	manyEntries = 5000
	// seldom is how many polls such a folder is left out between two listings.
	seldom = 4
)

// look is what a listing of a polled folder was like.
type look struct {
	done    bool
	sum     uint64 // of names, types, sizes and times; of the error if there was one
	entries int
}

// look lists the polled folders, only those not yet seen if asked so. What it finds comes
// back over l.looked.
func (l *loop) look(fresh bool) {
	if l.looking || l.open == 0 {
		return
	}
	var dirs []Path
	for dir, f := range l.folders {
		if f.pushed || l.notes != nil && (f.why == nil || f.again()) || fresh && f.seen.done {
			continue
		}
		f.polls++
		if f.seen.entries > manyEntries && f.polls%(seldom+1) != 0 {
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		return
	}
	l.looking = true
	l.wg.Go(func() {
		found := make(map[Path]look, len(dirs))
		for _, dir := range dirs {
			if l.ctx.Err() != nil {
				return
			}
			found[dir] = l.lookAt(dir)
		}
		select {
		case l.looked <- found:
		case <-l.ctx.Done():
		}
	})
}

func (l *loop) lookAt(dir Path) look {
	entries, err := l.fs.List(l.ctx, dir, ListOptions{})
	h := fnv.New64a()
	if err != nil {
		kind := Failed
		var own *Error
		if errors.As(err, &own) {
			kind = own.Kind
		}
		h.Write([]byte(kind))
		return look{done: true, sum: h.Sum64()}
	}
	var b []byte
	for _, e := range entries {
		b = append(b[:0], e.Name...)
		b = append(b, 0)
		b = append(b, e.Type...)
		b = append(b, e.Problem...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ModTime.UnixNano()))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Mode))
		h.Write(b)
	}
	return look{done: true, sum: h.Sum64(), entries: len(entries)}
}

// compare marks the polled folders that are not as they were. The first look at one counts
// as a change: from it on everything is noticed.
func (l *loop) compare(found map[Path]look) {
	for dir, now := range found {
		f := l.folders[dir]
		if f == nil || f.pushed {
			continue
		}
		was := f.seen
		f.seen = now
		if !was.done || was.sum != now.sum {
			l.mark(dir, true)
		}
	}
	l.look(true) // for those that were added meanwhile
}
