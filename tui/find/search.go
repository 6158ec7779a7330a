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

	Lines int    // of an output: how many its text has
	Text  string // of an output: the line, or the beginning of a long one
}

// maxText is how much of a line a hit keeps, in bytes.
const maxText = 200

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
		line, first := 0, len(hits)
		err := eachPiece(out.Decode(), func(text string) error {
			if len(hits) > Limit {
				return errEnough
			}
			at, start := 0, 0
			for _, m := range p.All(text) {
				line += strings.Count(text[at:m[0]], "\n")
				at = m[0]
				start = strings.LastIndexByte(text[:at], '\n') + 1
				hits = append(hits, Hit{
					Key: c.Key, Cell: index, Output: o, Line: line, From: m[0] - start, To: m[1] - start, Text: lineOf(text[start:]),
				})
			}
			if line += strings.Count(text[at:], "\n"); !strings.HasSuffix(text, "\n") {
				line++
			}
			return ctx.Err()
		})
		for i := range hits[first:] {
			hits[first+i].Lines = line
		}
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
	}
	return hits, nil
}

// lineOf is the first line of a text, as far as a hit keeps it.
func lineOf(text string) string {
	text = text[:min(len(text), maxText)]
	line, _, _ := strings.Cut(text, "\n")
	return strings.Clone(strings.ToValidUTF8(line, ""))
}
