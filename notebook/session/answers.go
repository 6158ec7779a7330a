package session

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
)

// Answered is a question of a cell's code that was answered here. It is for the screen: no
// file and no journal holds it.
type Answered struct {
	After    int // how many outputs the cell had before it
	Text     string
	Line     string // "" for a password
	Password bool
}

// answers are what was answered in the present runs of cells.
type answers struct {
	open  event.InputID // whose answer is on its way
	last  Answered      // that answer
	given map[notebook.CellKey][]Answered
}

// Answer answers the open prompt.
func (s *Session) Answer(ctx context.Context, line string) error {
	p := s.prompt
	if p == nil {
		return kernelclient.ErrAnswered
	}
	s.prompt = nil
	err := s.ctx.Answer(ctx, p.ID, line)
	if err == nil {
		s.answers.open, s.answers.last = p.ID, Answered{Text: p.Text, Line: line, Password: p.Password}
		if p.Password {
			s.answers.last.Line = ""
		}
	}
	return err
}

// Answers are the questions of a cell's present or last run that were answered here, in
// their order. They go when the cell's outputs do.
func (s *Session) Answers(key notebook.CellKey) []Answered {
	list := s.answers.given[key]
	if c := s.doc.Cell(key); c == nil || len(list) > 0 && list[len(list)-1].After > len(c.Outputs()) {
		delete(s.answers.given, key)
		return nil
	}
	return list
}

// answered follows what becomes of a cell's answers.
func (s *Session) answered(key notebook.CellKey, b event.Body) {
	a := &s.answers
	switch b := b.(type) {
	case event.Accepted, event.Clear:
		delete(a.given, key)
	case event.InputClosed:
		if b.ID != a.open || b.ID == "" {
			return
		}
		if a.given == nil {
			a.given = map[notebook.CellKey][]Answered{}
		}
		a.last.After = len(s.set.Outputs(event.CellKey(key)))
		a.given[key] = append(a.given[key], a.last)
		a.open, a.last = "", Answered{}
	}
}
