package session

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook"
)

// words remembers the words of cells by their versions. The zero value is ready.
type words struct {
	cells map[notebook.CellKey]cellWords
}

type cellWords struct {
	version uint64
	list    []string // sorted, each once
}

// Words returns the words of the document's code cells that begin with prefix, without
// prefix itself: what can be offered while the kernel is busy. Cells that have not changed
// since the last call are not read again. Only the session's owner may call it.
func (s *Session) Words(prefix string) []string { return s.words.matching(s.doc.Cells(), prefix) }

// Words is Session.Words for any cells.
func Words(cells []*notebook.Cell, prefix string) []string {
	var w words
	return w.matching(cells, prefix)
}

func (w *words) matching(cells []*notebook.Cell, prefix string) []string {
	now := make(map[notebook.CellKey]cellWords, len(cells))
	var out []string
	for _, c := range cells {
		if c.Type != notebook.Code {
			continue
		}
		known, ok := w.cells[c.Key]
		if !ok || known.version != c.Version {
			known = cellWords{c.Version, split(c.Source)}
		}
		now[c.Key] = known
		if prefix == "" {
			continue
		}
		at, _ := slices.BinarySearch(known.list, prefix)
		for ; at < len(known.list) && strings.HasPrefix(known.list[at], prefix); at++ {
			if known.list[at] != prefix {
				out = append(out, known.list[at])
			}
		}
	}
	w.cells = now
	slices.Sort(out)
	return slices.Compact(out)
}

// split returns the words of a text, sorted, each once.
func split(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) })
	list = slices.DeleteFunc(list, func(w string) bool {
		r, n := utf8.DecodeRuneInString(w)
		return unicode.IsDigit(r) || n == len(w) // a number, or not worth completing
	})
	slices.Sort(list)
	list = slices.Compact(list)
	for i, w := range list {
		list[i] = strings.Clone(w) // the source itself may go
	}
	return list
}

func inWord(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nd, unicode.M)
}

// WordStart is where the word begins that ends at the byte offset of source; offset itself
// where none does.
func WordStart(source string, offset int) int {
	at := clamp(offset, source)
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(source[:at])
		if !inWord(r) {
			break
		}
		at -= n
	}
	return at
}
