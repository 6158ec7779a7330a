package session

import (
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
)

// Page is text that the kernel wants to be shown apart from the outputs, such as the help
// of `len?`. Its plain text may hold ANSI sequences. Start is the line to begin at.
type Page struct {
	Cell  notebook.CellKey
	Data  mime.Bundle
	Start int
}

// Payload is an instruction to the front end from a cell's run.
type Payload struct {
	Cell notebook.CellKey
	event.Payload
}

// below is where the cells that one run asks for go: each below the one before.
type below struct {
	exec event.ExecID
	last notebook.CellKey
}

// payload follows an instruction of the kernel ("Payloads" of the messaging protocol). Only
// those of the session's own runs count: another client's are for that client.
func (s *Session) payload(exec event.ExecID, p event.Payload, c *Changes) {
	r := s.runs[exec]
	if r == nil || r.cell == "" || r.ended {
		return
	}
	key := r.cell
	switch p.Source {
	case "page":
		if r.past && s.replay.active {
			return // nobody waits for it any more
		}
		start, _ := p.Data.Get("start").Int()
		c.Pages = append(c.Pages, Page{key, mime.ReadBundle(p.Data.Get("data")), start})
	case "set_next_input":
		if s.opt.KeepSources {
			return
		}
		if err := s.setNextInput(exec, key, p, c); err != nil {
			c.Notes = append(c.Notes, fmt.Sprintf("the cell's code asked for a change that cannot be made: %v", err))
		}
	case "ask_exit": // the driver sees to it; the State that follows says what became of it
	default:
		c.Payloads = append(c.Payloads, Payload{key, p})
	}
}

// setNextInput replaces a cell's source or puts a new cell below it, as one undo step.
// Nothing is run by it.
func (s *Session) setNextInput(exec event.ExecID, key notebook.CellKey, p event.Payload, c *Changes) error {
	text := strings.ReplaceAll(p.Data.Get("text").Str(), "\r\n", "\n")
	if p.Data.Get("replace").True() {
		if was := s.doc.Cell(key); was == nil || was.Source == text {
			return nil // deleted while it ran, or done before
		}
		err := s.doc.Do("Replace by code", notebook.SetSource{Key: key, Source: text})
		if err == nil {
			c.Edited = append(c.Edited, key)
		}
		return err
	}
	if s.below.exec != exec || s.doc.Cell(s.below.last) == nil {
		s.below = below{exec, key}
	}
	at := len(s.doc.Cells())
	if i := s.doc.Index(s.below.last); i >= 0 {
		at = i + 1
	}
	if cells := s.doc.Cells(); s.runs[exec].past && at < len(cells) && cells[at].Source == text {
		s.below.last = cells[at].Key // an earlier session did it
		return nil
	}
	if err := s.doc.Do("Insert by code", notebook.Insert{At: at, Cells: []notebook.NewCell{{Type: notebook.Code, Source: text}}}); err != nil {
		return err
	}
	s.below.last = s.doc.Cells()[at].Key
	c.Inserted = append(c.Inserted, s.below.last)
	return nil
}
