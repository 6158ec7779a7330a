package kernelclient

import "github.com/nbterm/nbterm/notebook/mime/spill"

// spills are the files that a store moves payloads to: one that is in use, and those that
// nothing refers to any more but somebody may be reading. The store's mu guards it.
type spills struct {
	now     *spill.File
	old     []*spill.File
	reading int  // batches that were copied and not yet read back
	writing bool // payloads are on their way into now
}

func newSpills() spills { return spills{now: &spill.File{}} }

// renew replaces the file once no record needs what is in it.
func (p *spills) renew(records []record) {
	if p.writing || p.now.Size() == 0 {
		return
	}
	for _, r := range records {
		if r.away != nil {
			return
		}
	}
	p.old = append(p.old, p.now)
	p.now = &spill.File{}
	p.sweep()
}

// sweep removes the old files when nobody reads them.
func (p *spills) sweep() {
	if p.reading > 0 {
		return
	}
	for _, f := range p.old {
		_ = f.Close() // what it held is needed no more
	}
	p.old = nil
}

// readBack says that a batch was read.
func (s *store) readBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spills.reading--
	s.spills.sweep()
}

// letGo removes the spill files when nobody can need them any more. mu is held.
func (s *store) letGo() {
	if s.ended && len(s.readers) == 0 {
		_ = s.spills.now.Close() // what it held is lost either way
		s.spills.sweep()
	}
}
