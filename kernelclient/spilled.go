package kernelclient

import (
	"fmt"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// away says where the payload of a record lies in the spill file: one run of bytes, cut
// into the text of a stream or the values of a bundle.
type away struct {
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
func payload(b event.Body) int64 {
	switch b := b.(type) {
	case event.Stream:
		return int64(len(b.Text))
	case event.Result:
		return bundleSize(b.Data)
	case event.Display:
		return bundleSize(b.Data)
	case event.Update:
		return bundleSize(b.Data)
	}
	return 0
}

func bundleSize(b mime.Bundle) (n int64) {
	for _, e := range b {
		n += int64(len(e.Value))
	}
	return n
}

// relieve moves payloads to the spill file, oldest first, until half of the bound is
// free. It is called by the Log's own goroutine whenever pressed fires. It returns an
// error when the disk refuses: then everything stays in memory.
func (s *store) relieve() error {
	for {
		from, records := s.oldest()
		if len(records) == 0 {
			return nil
		}
		moved := make([]*away, len(records))
		for i, r := range records {
			var err error
			if moved[i], err = s.put(r.event.Body); err != nil {
				return err
			}
		}
		s.mu.Lock()
		for i, a := range moved {
			r := &s.records[from+i]
			s.memory -= payload(r.event.Body)
			r.event.Body, r.away = strip(r.event.Body), a
		}
		s.scanned = from + len(records)
		s.mu.Unlock()
	}
}

// oldest copies the next sealed records that hold payload, some MiB at once.
func (s *store) oldest() (from int, records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory <= storeMemory/2 {
		return 0, nil
	}
	sealed := len(s.records)
	if s.open {
		sealed--
	}
	var size int64
	end := s.scanned
	for ; end < sealed && size < batchBytes; end++ {
		size += payload(s.records[end].event.Body)
	}
	return s.scanned, append(records, s.records[s.scanned:end]...)
}

func (s *store) put(b event.Body) (*away, error) {
	var buf []byte
	a := &away{}
	if st, ok := b.(event.Stream); ok {
		buf, a.cuts = []byte(st.Text), []int{len(st.Text)}
	} else {
		for _, e := range bundleOf(b) {
			buf = append(buf, e.Value...)
			a.cuts = append(a.cuts, len(e.Value))
		}
	}
	if len(buf) == 0 {
		return nil, nil
	}
	var err error
	a.at, err = s.spill.Put(buf)
	return a, err
}

func bundleOf(b event.Body) mime.Bundle {
	switch b := b.(type) {
	case event.Result:
		return b.Data
	case event.Display:
		return b.Data
	case event.Update:
		return b.Data
	}
	return nil
}

func withBundle(b event.Body, data mime.Bundle) event.Body {
	switch b := b.(type) {
	case event.Result:
		b.Data = data
		return b
	case event.Display:
		b.Data = data
		return b
	case event.Update:
		b.Data = data
		return b
	}
	return b
}

// strip empties a body of its payload; types and names stay.
func strip(b event.Body) event.Body {
	if st, ok := b.(event.Stream); ok {
		st.Text = ""
		return st
	}
	data := bundleOf(b)
	if data == nil {
		return b
	}
	bare := make(mime.Bundle, len(data))
	for i, e := range data {
		bare[i].Type = e.Type
	}
	return withBundle(b, bare)
}

// restore returns a record's event with its payload read back. A spill file that cannot
// be read becomes a Gap: followers are told, not stopped.
func (s *store) restore(r record) event.Event {
	if r.away == nil {
		return r.event
	}
	buf := make([]byte, r.away.size())
	if _, err := s.spill.ReadAt(buf, r.away.at); err != nil {
		r.event.Body = event.Gap{Detail: fmt.Sprintf("%d bytes of output could not be read back: %v", len(buf), err)}
		return r.event
	}
	if st, ok := r.event.Body.(event.Stream); ok {
		st.Text = string(buf)
		r.event.Body = st
		return r.event
	}
	data := append(mime.Bundle(nil), bundleOf(r.event.Body)...)
	for i := range data {
		n := r.away.cuts[i]
		data[i].Value, buf = buf[:n:n], buf[n:]
	}
	r.event.Body = withBundle(r.event.Body, data)
	return r.event
}
