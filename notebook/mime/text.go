package mime

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

const (
	chunkSize = 64 << 10
	// InMemory is how much of one Text stays in memory before its oldest chunks go to the spill file.
	InMemory = 64 << 20
	// worthSpilling is how long a Text must be that Spill moves to disk.
	worthSpilling = 1 << 10
)

// Text is a text that only grows: what one stream of a cell has said. One goroutine
// appends; any may read, at any time. Past InMemory bytes old chunks move to a spill
// file; Shorten puts a mark in the place of its middle. Create it with NewText.
type Text struct {
	spill *spill.File // nil: everything stays in memory

	mu      sync.Mutex // guards all below; bytes of a chunk within its n never change
	chunks  []chunk
	spilled int // how many leading chunks were looked at for spilling
	memory  int64
	size    int64 // bytes held, without the mark
	dropped int64
	cut     int // where the mark stands among the chunks, if dropped > 0
	version uint64
	err     error
}

// chunk is immutable but for spare capacity behind data, which only the last chunk uses.
type chunk struct {
	data []byte
	at   int64 // in the spill file, if data and json are nil
	n    int

	json  rawjson.Value // strings of a list in a file, with commas between them, that say it
	lines int           // of json
}

// NewText returns an empty Text that spills into s, or keeps all in memory if s is nil.
func NewText(s *spill.File) *Text { return &Text{spill: s} }

// TextOf returns a Text that says s.
func TextOf(s string) *Text {
	t := NewText(nil)
	t.Append(s)
	return t
}

// Append adds s at the end. Only the owner may call it.
func (t *Text) Append(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.version++
	for len(s) > 0 {
		c := t.open(len(s))
		n := whole(s, cap(c.data)-len(c.data))
		c.data = append(c.data, s[:n]...) // a View sees only the length it took
		c.n = len(c.data)
		t.size += int64(n)
		t.memory += int64(n)
		s = s[n:]
	}
	t.toDisk()
}

// open returns the last chunk if it has room, else a new one; want is how much is to be written.
func (t *Text) open(want int) *chunk {
	if last := len(t.chunks) - 1; last >= 0 {
		c := &t.chunks[last]
		room := cap(c.data) - len(c.data)
		if c.data != nil && (room >= utf8.UTFMax || room >= want) && (t.dropped == 0 || last >= t.cut) {
			return c
		}
	}
	// Most outputs are one short line, and there may be very many of them.
	size := min(max(int64(want), 2*t.size, 64), chunkSize)
	t.chunks = append(t.chunks, chunk{data: make([]byte, 0, size)})
	return &t.chunks[len(t.chunks)-1]
}

// whole is how many bytes of s fit into room without cutting a character, so that the
// middle can be dropped by chunks and the rest stays UTF-8. room is never too small for one.
func whole(s string, room int) int {
	if len(s) <= room {
		return len(s)
	}
	for n := room; n > room-utf8.UTFMax && n > 0; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return room // no UTF-8 anyway
}

// toDisk moves the oldest chunks out of memory. A disk that refuses is remembered and the text stays in memory.
func (t *Text) toDisk() {
	if t.memory > InMemory {
		t.spillTo(InMemory/2, len(t.chunks)-1)
	}
}

// Spill moves all of the text out of memory, for an owner that needs the room. Texts too
// short to be worth it stay. Its error is the disk's: then the rest stays in memory. Only
// the owner may call it.
func (t *Text) Spill() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.memory >= worthSpilling {
		t.spillTo(0, len(t.chunks))
	}
	return t.err
}

// spillTo spills some of the first n chunks, oldest first, until no more than rest bytes are in memory.
func (t *Text) spillTo(rest int64, n int) {
	if t.spill == nil || t.err != nil {
		return
	}
	for ; t.memory > rest && t.spilled < n; t.spilled++ {
		c := t.chunks[t.spilled]
		if c.data == nil {
			continue // on disk, or in the file's own bytes
		}
		at, err := t.spill.Put(c.data)
		if err != nil {
			t.err = err
			return
		}
		t.memory -= int64(c.n)
		t.chunks[t.spilled] = chunk{at: at, n: c.n}
	}
}

// Shorten gives up the oldest bytes behind the first head ones until no more than most
// are left, and puts a mark in their place. It goes by whole chunks, and the newest stays.
// Where the mark stands is decided by the first call. It returns how many bytes went. Only
// the owner may call it.
func (t *Text) Shorten(head, most int64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size <= most {
		return 0
	}
	if t.dropped == 0 {
		var before int64
		for t.cut = 0; t.cut < len(t.chunks)-1 && before+int64(t.chunks[t.cut].n) <= head; t.cut++ {
			before += int64(t.chunks[t.cut].n)
		}
	}
	end, was := t.cut, t.dropped
	for ; end < len(t.chunks)-1 && t.size > most; end++ {
		c := t.chunks[end]
		t.size -= int64(c.n)
		t.dropped += int64(c.n)
		if c.data != nil {
			t.memory -= int64(c.n)
		}
	}
	if end == t.cut {
		return 0
	}
	t.chunks = slices.Delete(t.chunks, t.cut, end)
	t.spilled = min(t.spilled, t.cut)
	t.version++
	return t.dropped - was
}

// Len is the number of bytes that a reader would get now, the mark included.
func (t *Text) Len() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size + int64(len(t.mark()))
}

// Version changes with every Append.
func (t *Text) Version() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

// Dropped is how many bytes of the middle were given up for the limit. A reader that
// follows the text by offset starts afresh when it changes.
func (t *Text) Dropped() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}

// View returns the text as it is now. It stays as it is while the Text grows on.
func (t *Text) View() View {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := View{spill: t.spill, size: t.size, dropped: t.dropped, written: t.size + t.dropped}
	if mark := t.mark(); mark != nil {
		v.chunks = append(v.chunks, t.chunks[:t.cut]...)
		v.chunks = append(v.chunks, chunk{data: mark, n: len(mark)})
		v.chunks = append(v.chunks, t.chunks[t.cut:]...)
		v.size += int64(len(mark))
		return v
	}
	v.chunks = append(v.chunks, t.chunks...)
	return v
}

// mark is the line that stands for what was dropped, nil if nothing was.
func (t *Text) mark() []byte {
	if t.dropped == 0 {
		return nil
	}
	return fmt.Appendf(nil, "\n… %d bytes of output left out here (output_limit) …\n", t.dropped)
}

// String returns all of it; for texts known to be short.
func (t *Text) String() string {
	var b []byte
	v := t.View()
	b, _ = v.ReadFrom(b, 0)
	return string(b)
}

// View is a Text at one moment. It may be used from any goroutine.
type View struct {
	spill            *spill.File
	chunks           []chunk
	size             int64
	dropped, written int64
}

// Dropped is how many bytes of the middle the Text had given up at that moment.
func (v View) Dropped() int64 { return v.dropped }

// Written is how many bytes had been appended until then, those given up included. A
// reader that follows the text finds what is new in the last bytes of the view.
func (v View) Written() int64 { return v.written }

// Len is its length in bytes.
func (v View) Len() int64 { return v.size }

// ReadFrom appends the bytes from offset off to the end to dst.
func (v View) ReadFrom(dst []byte, off int64) ([]byte, error) {
	err := v.Chunks(off, func(p []byte) error {
		dst = append(dst, p...)
		return nil
	})
	return dst, err
}

// Chunks calls f with the text from offset off on, piece by piece; f may not keep or
// change p. An error of f or of the spill file ends it.
func (v View) Chunks(off int64, f func(p []byte) error) error {
	return v.Pieces(off, func(p []byte, _ bool) error { return f(p) })
}

// Pieces is Chunks for an f that may keep, but not change, a p that is called stable.
func (v View) Pieces(off int64, f func(p []byte, stable bool) error) error {
	var decoded []byte
	for _, c := range v.chunks {
		if off >= int64(c.n) {
			off -= int64(c.n)
			continue
		}
		p := c.data
		switch {
		case p != nil:
		case c.json != nil:
			decoded = c.decode(decoded[:0])
			p = decoded
		default:
			p = make([]byte, c.n)
			if _, err := v.spill.ReadAt(p, c.at); err != nil {
				return err
			}
		}
		if err := f(p[off:c.n], c.data != nil); err != nil {
			return err
		}
		off = 0
	}
	return nil
}
