package find

import (
	"context"
	"errors"
	"strings"

	"github.com/nbterm/nbterm/notebook"
)

// Limit is how many hits one search keeps.
const Limit = 100_000

// Source is the Output of a hit in a cell's source.
const Source = -1

// Hit is one place that was found.
type Hit struct {
	Key      notebook.CellKey
	Cell     int // the cell's index at that time
	Output   int // index of the output, or Source
	Line     int // of the source or the output's text, from 0
	From, To int // bytes of the source; of an output's line
}

// Before tells whether h stands before o in the notebook.
func (h Hit) Before(o Hit) bool {
	switch {
	case h.Cell != o.Cell:
		return h.Cell < o.Cell
	case h.Output != o.Output:
		return h.Output < o.Output
	case h.Line != o.Line:
		return h.Line < o.Line
	}
	return h.From < o.From
}

// Search returns the hits in sources and outputs, in the notebook's order. more says that
// there are more than Limit. It ends early, with an error, when ctx ends.
func Search(ctx context.Context, cells []*notebook.Cell, p *Pattern) (hits []Hit, more bool, err error) {
	if p == nil {
		return nil, false, nil
	}
	for i, c := range cells {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		hits = append(hits, inSource(c, i, p)...)
		if c.Type == notebook.Code {
			if hits, err = inOutputs(ctx, hits, c, i, p); err != nil {
				return nil, false, err
			}
		}
		if len(hits) > Limit {
			return hits[:Limit], true, nil
		}
	}
	return hits, false, nil
}

func inSource(c *notebook.Cell, index int, p *Pattern) []Hit {
	var hits []Hit
	line, at := 0, 0
	for _, m := range p.All(c.Source) {
		line += strings.Count(c.Source[at:m[0]], "\n")
		at = m[0]
		hits = append(hits, Hit{Key: c.Key, Cell: index, Output: Source, Line: line, From: m[0], To: m[1]})
	}
	return hits
}

func inOutputs(ctx context.Context, hits []Hit, c *notebook.Cell, index int, p *Pattern) ([]Hit, error) {
	for o, out := range c.Outputs() {
		line := 0
		err := eachPiece(out.Decode(), func(text string) error {
			if len(hits) > Limit {
				return errEnough
			}
			at, start := 0, 0
			for _, m := range p.All(text) {
				line += strings.Count(text[at:m[0]], "\n")
				at = m[0]
				start = strings.LastIndexByte(text[:at], '\n') + 1
				hits = append(hits, Hit{Key: c.Key, Cell: index, Output: o, Line: line, From: m[0] - start, To: m[1] - start})
			}
			line += strings.Count(text[at:], "\n")
			return ctx.Err()
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
	}
	return hits, nil
}
