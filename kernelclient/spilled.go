package kernelclient

import (
	"fmt"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

// away says where the payload of a record lies in the spill file: one run of bytes, cut
// into the pieces of its body.
type away struct {
	file *spill.File
	at   int64
	cuts []int // lengths
}

func (a *away) size() int64 {
	if a == nil {
		return 0
	}
	var n int64
	for _, c := range a.cuts {
		n += int64(c)
	}
	return n
}

// payload is how many bytes of an event may be moved to disk.
func payload(b event.Body) (n int64) {
	switch b := b.(type) {
	case event.Stream:
		return int64(len(b.Text))
	case event.Error:
		n = int64(len(b.Value))
		for _, line := range b.Traceback {
			n += int64(len(line))
		}
	case event.Payload:
		return int64(len(b.Data))
	case event.Unknown:
		return int64(len(b.Content))
	default:
		// A message's parts keep all of it in memory: the metadata has to go too.
		data, metadata := bundleOf(b)
		n = int64(len(metadata))
		for _, e := range data {
			n += int64(len(e.Value))
		}
	}
	return n
}

// pieces are the bytes that payload counts.
func pieces(b event.Body) (p [][]byte) {
	switch b := b.(type) {
	case event.Stream:
		return [][]byte{[]byte(b.Text)}
	case event.Error:
		p = append(p, []byte(b.Value))
		for _, line := range b.Traceback {
			p = append(p, []byte(line))
		}
	case event.Payload:
		return [][]byte{b.Data}
	case event.Unknown:
		return [][]byte{b.Content}
	default:
		data, metadata := bundleOf(b)
		p = append(p, metadata)
		for _, e := range data {
			p = append(p, e.Value)
		}
	}
	return p
}

// with returns b with other pieces, as many as it had.
func with(b event.Body, p [][]byte) event.Body {
	switch b := b.(type) {
	case event.Stream:
		b.Text = string(p[0])
		return b
	case event.Error:
		b.Value = string(p[0])
		b.Traceback = slices.Clone(b.Traceback)
		for i := range b.Traceback {
			b.Traceback[i] = string(p[i+1])
		}
		return b
	case event.Payload:
		b.Data = p[0]
		return b
	case event.Unknown:
		b.Content = p[0]
		return b
	}
	data, _ := bundleOf(b)
	data = slices.Clone(data)
	for i := range data {
		data[i].Value = p[i+1]
	}
	return withBundle(b, data, p[0])
}

// relieve moves payloads to the spill file, oldest first, until half of the bound is
// free. It is called by the Log's own goroutine whenever pressed fires. It returns an
// error when the disk refuses: then everything stays in memory.
func (s *store) relieve() error {
	for {
		file, records := s.oldest()
		if len(records) == 0 {
			return nil
		}
		moved := make([]*away, len(records))
		var err error
		for i, r := range records {
			if moved[i], err = move(file, r.event.Body); err != nil {
				break
			}
		}
		if s.moved(records, moved); err != nil {
			return err
		}
	}
}

// moved takes note of where payloads are now. Records may have been dropped meanwhile.
func (s *store) moved(records []record, to []*away) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.after(records[0].event.Seq - 1)
	for i, r := range records {
		for at < len(s.records) && s.records[at].event.Seq < r.event.Seq {
			at++
		}
		if at == len(s.records) {
			break
		}
		if mine := &s.records[at]; mine.event.Seq == r.event.Seq && to[i] != nil {
			s.memory -= payload(mine.event.Body)
			mine.event.Body, mine.away = strip(mine.event.Body), to[i]
		}
	}
	s.scanned = max(s.scanned, records[len(records)-1].event.Seq)
	s.spills.writing = false
	s.spills.renew(s.records) // all of them may be gone
}

// oldest copies the next sealed records that hold payload, some MiB at once, and says
// which file they go to.
func (s *store) oldest() (file *spill.File, records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory <= s.bound/2 {
		return nil, nil
	}
	sealed := len(s.records)
	if s.open {
		sealed--
	}
	var size int64
	begin := s.after(s.scanned)
	end := begin
	for ; end < sealed && size < batchBytes; end++ {
		size += payload(s.records[end].event.Body)
	}
	if begin >= end {
		return nil, nil
	}
	s.spills.writing = true
	return s.spills.now, append(records, s.records[begin:end]...)
}

// move puts a body's payload into a file and says where; nil if it has none.
func move(file *spill.File, b event.Body) (*away, error) {
	var buf []byte
	a := &away{file: file}
	for _, p := range pieces(b) {
		buf = append(buf, p...)
		a.cuts = append(a.cuts, len(p))
	}
	if len(buf) == 0 {
		return nil, nil
	}
	var err error
	a.at, err = file.Put(buf)
	return a, err
}

// bundleOf returns the bundle and the metadata of an event that has them.
func bundleOf(b event.Body) (mime.Bundle, rawjson.Value) {
	switch b := b.(type) {
	case event.Result:
		return b.Data, b.Metadata
	case event.Display:
		return b.Data, b.Metadata
	case event.Update:
		return b.Data, b.Metadata
	}
	return nil, nil
}

func withBundle(b event.Body, data mime.Bundle, metadata rawjson.Value) event.Body {
	switch b := b.(type) {
	case event.Result:
		b.Data, b.Metadata = data, metadata
		return b
	case event.Display:
		b.Data, b.Metadata = data, metadata
		return b
	case event.Update:
		b.Data, b.Metadata = data, metadata
		return b
	}
	return b
}

// strip empties a body of its payload; types and names stay.
func strip(b event.Body) event.Body {
	if payload(b) == 0 {
		return b
	}
	return with(b, make([][]byte, len(pieces(b))))
}

// restore returns a record's event with its payload read back. A spill file that cannot
// be read becomes a Gap: followers are told, not stopped.
func restore(r record) event.Event {
	if r.away == nil {
		return r.event
	}
	buf := make([]byte, r.away.size())
	if _, err := r.away.file.ReadAt(buf, r.away.at); err != nil {
		r.event.Body = event.Gap{Detail: fmt.Sprintf("%d bytes of output could not be read back: %v", len(buf), err)}
		return r.event
	}
	p := make([][]byte, len(r.away.cuts))
	for i, n := range r.away.cuts {
		if n > 0 {
			p[i], buf = buf[:n:n], buf[n:]
		}
	}
	r.event.Body = with(r.event.Body, p)
	return r.event
}
