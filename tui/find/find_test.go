package find_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/tui/find"
)

func compile(t *testing.T, q find.Query) *find.Pattern {
	t.Helper()
	p, err := q.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAll(t *testing.T) {
	for _, c := range []struct {
		q    find.Query
		text string
		want string
	}{
		{find.Query{Text: "a.c"}, "abc a.c A.C", "a.c A.C"},
		{find.Query{Text: "a.c", Case: true}, "abc a.c A.C", "a.c"},
		{find.Query{Text: "a.c", Regexp: true}, "abc a.c A.C", "abc a.c A.C"},
		{find.Query{Text: "x", Word: true}, "x xx x_1 (x) éx x", "x x x"},
		{find.Query{Text: "naïve", Word: true}, "naïve naïveté NAÏVE", "naïve NAÏVE"},
		{find.Query{Text: "^b$", Regexp: true}, "a\nb\nbb", "b"},
		{find.Query{Text: "x*", Regexp: true}, "axxb", "xx"},
		{find.Query{Text: "日"}, "日本日", "日 日"},
		{find.Query{Text: "("}, "f(x)", "("},
		{find.Query{Text: "Aa"}, "aAaaİAA", "aA aa AA"},
	} {
		var got []string
		for _, m := range compile(t, c.q).All(c.text) {
			got = append(got, c.text[m[0]:m[1]])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v in %q: %q, want %q", c.q, c.text, s, c.want)
		}
	}
	if p := compile(t, find.Query{}); p != nil {
		t.Error("an empty query has a pattern")
	}
	if _, err := (find.Query{Text: "(", Regexp: true}).Compile(); err == nil {
		t.Error("no error for a broken expression")
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		q                find.Query
		text, with, want string
		n                int
	}{
		{find.Query{Text: "a"}, "banana", "$1", "b$1n$1n$1", 3},
		{find.Query{Text: `(\w)=(\w)`, Regexp: true}, "a=b, c=d", "$2=${1}", "b=a, d=c", 2},
		{find.Query{Text: "x", Word: true}, "x xx x", "yy", "yy xx yy", 2},
		{find.Query{Text: "q"}, "abc", "x", "abc", 0},
	} {
		if got, n := compile(t, c.q).Replace(c.text, c.with); got != c.want || n != c.n {
			t.Errorf("%+v: %q, %d", c, got, n)
		}
	}
	p := compile(t, find.Query{Text: `(\d+)`, Regexp: true})
	if got, end, ok := p.ReplaceAt("a1 b22", 4, "<$1>"); got != "a1 b<22>" || end != 8 || !ok {
		t.Errorf("%q %d %v", got, end, ok)
	}
	if _, _, ok := p.ReplaceAt("a1 b22", 5, "x"); ok {
		t.Error("replaced where nothing begins")
	}
}

func cells(t *testing.T, in ...notebook.NewCell) []*notebook.Cell {
	t.Helper()
	d := notebook.New()
	if err := d.Do("make", notebook.Delete{Keys: []notebook.CellKey{d.Cells()[0].Key}}, notebook.Insert{Cells: in}); err != nil {
		t.Fatal(err)
	}
	return d.Cells()
}

func stream(s string) mime.Output {
	return mime.Output{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf(s)}}
}

func TestSearch(t *testing.T) {
	list := cells(t,
		notebook.NewCell{Type: notebook.Code, Source: "x = 1\nprint(x)", Outputs: []mime.Output{
			stream("one\n\x1b[31mx\x1b[0m two\r\nx 50%\rx 99%\rnone\ny"),
			{Body: &mime.Error{Name: "ValueError", Value: "x", Traceback: []string{"a\nb", "ValueError: \x1b[1mx"}}},
			{Body: &mime.Data{Bundle: mime.Bundle{{Type: "text/html", Value: rawjson.Value(`"<b>no</b>"`)}, {Type: "text/plain", Value: rawjson.Value(`"a x"`)}}}},
			{Body: &mime.Data{Bundle: mime.Bundle{{Type: "image/png", Value: rawjson.Value(`"xxxx"`)}}}},
		}},
		notebook.NewCell{Type: notebook.Markdown, Source: "no\n\nx"},
	)
	hits, more, err := find.Search(t.Context(), list, compile(t, find.Query{Text: "x"}))
	var got []string
	for i, h := range hits {
		got = append(got, fmt.Sprintf("%d/%d/%d:%d", h.Cell, h.Output, h.Line, h.From))
		if i > 0 && (!hits[i-1].Before(h) || h.Before(hits[i-1])) {
			t.Errorf("hit %d is not behind the one before", i)
		}
	}
	if s := strings.Join(got, " "); s != "0/-1/0:0 0/-1/1:12 0/0/1:0 0/1/2:12 0/2/0:2 1/-1/2:4" || more || err != nil {
		t.Errorf("%s, %v, %v", s, more, err)
	}
	if hits, _, _ := find.Search(t.Context(), list, nil); hits != nil {
		t.Error("no pattern has hits")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := find.Search(ended, list, compile(t, find.Query{Text: "x"})); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSearchOfLongOutput(t *testing.T) {
	text := mime.TextOf("")
	for i := range 300_000 {
		text.Append(fmt.Sprintf("line %d\n", i))
	}
	list := cells(t, notebook.NewCell{Type: notebook.Code, Outputs: []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: text}}}})
	hits, more, _ := find.Search(t.Context(), list, compile(t, find.Query{Text: "line"}))
	if len(hits) != find.Limit || !more {
		t.Errorf("%d hits, more %v", len(hits), more)
	}
	hits, _, _ = find.Search(t.Context(), list, compile(t, find.Query{Text: "LINE 299999", Word: true}))
	if len(hits) != 1 || hits[0].Line != 299_999 || hits[0].From != 0 {
		t.Errorf("%+v", hits)
	}
}

func TestOutputText(t *testing.T) {
	for want, b := range map[string]mime.Body{
		"a\nb":        &mime.Stream{Text: mime.TextOf("\x1b[1ma\x1b[0m\nx\rb")},
		"Name: Value": &mime.Error{Name: "Name", Value: "Value"},
		"":            &mime.Unknown{Type: "q"},
		"# t":         &mime.Data{Bundle: mime.Bundle{{Type: "text/markdown", Value: rawjson.Value(`["# t"]`)}}},
	} {
		if got := find.OutputText(b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
