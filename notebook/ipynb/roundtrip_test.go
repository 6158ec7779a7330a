package ipynb

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// load reads a file of testdata, from whichever folder has it.
func load(t testing.TB, name string) []byte {
	t.Helper()
	for _, dir := range []string{"cases", "broken"} {
		if data, err := os.ReadFile(filepath.Join("..", "..", "testdata", dir, name)); err == nil {
			return data
		}
	}
	t.Fatalf("no %s in testdata", name)
	return nil
}

func parse(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keep is the plan that changes nothing.
func keep(f *File) []CellPlan {
	plan := make([]CellPlan, len(f.Cells()))
	for i := range plan {
		plan[i].From = i
	}
	return plan
}

func write(t testing.TB, f *File, plan []CellPlan, meta ...MetadataEdit) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, plan, meta...); err != nil {
		t.Fatal(err)
	}
	if _, err := rawjson.Parse(bytes.TrimPrefix(b.Bytes(), bom)); err != nil {
		t.Fatalf("what was written is no JSON: %v\n%s", err, b.String())
	}
	return b.String()
}

// diff counts the lines that only a or only b has.
func diff(a, b string) (out, in int) {
	count := map[string]int{}
	for _, l := range strings.SplitAfter(a, "\n") {
		count[l]++
	}
	for _, l := range strings.SplitAfter(b, "\n") {
		count[l]--
	}
	for _, n := range count {
		out += max(n, 0)
		in += max(-n, 0)
	}
	return out, in
}

// edited replaces text in one cell's source and returns the file before and after.
func edited(t *testing.T, name string, cell int, from, to string) (before, after string) {
	t.Helper()
	data := load(t, name)
	f := parse(t, data)
	plan := keep(f)
	text := f.Cells()[cell].Text()
	if !strings.Contains(text, from) {
		t.Fatalf("%s: cell %d is %q", name, cell, text)
	}
	text = strings.Replace(text, from, to, 1)
	plan[cell].Source = &text
	after = write(t, f, plan)
	if got := parse(t, []byte(after)).Cells()[cell].Text(); got != text {
		t.Errorf("%s: the cell came back as %q, not %q", name, got, text)
	}
	return string(data), after
}

func TestUneditedFilesKeepTheirBytes(t *testing.T) {
	for _, dir := range []string{"cases", "broken"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", dir, "*.ipynb"))
		if err != nil || len(files) == 0 {
			t.Fatal("no files", err)
		}
		for _, name := range files {
			data := load(t, filepath.Base(name))
			f, err := Parse(data)
			if err != nil {
				continue // TestWhatIsNoNotebook has those
			}
			if f.Converted() > 0 {
				data = f.Bytes()
			}
			var b bytes.Buffer
			if err := f.Write(&b, keep(f)); err != nil || !bytes.Equal(b.Bytes(), data) {
				t.Errorf("%s: changed without an edit (%v)", name, err)
			}
			if f.ReadOnly() != "" {
				continue
			}
			// The long way, through every object that can be rebuilt, must keep them too.
			out := newWriter(&b, func() bool { return false })
			b.Reset()
			out.raw(data[:f.top.open])
			f.top.write(out, detect(f.top), []edit{{"cells", func(w *writer, l layout) {
				f.writeCells(w, l, keep(f))
			}}, {"metadata", func(w *writer, l layout) {
				if o := parseObject(f.metadata); o.close != 0 {
					o.write(w, l, nil)
				} else {
					w.raw(f.metadata)
				}
			}}})
			out.raw(data[f.top.close+1:])
			if err := out.flush(); err != nil || !bytes.Equal(b.Bytes(), data) {
				if f.metadata == nil {
					continue // one was added
				}
				t.Errorf("%s: rebuilt differently (%v)", name, err)
			}
		}
	}
}

func TestOneEditChangesOneLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		cell     int
		from, to string
	}{
		{"A01.ipynb", 0, "one line", "two line"},
		{"A02-2sp.ipynb", 1, "42", "43"},
		{"A02-4sp.ipynb", 1, "42", "43"},
		{"A02-tab.ipynb", 1, "42", "43"},
		{"A04-raw.ipynb", 1, "print(greet)", "print(greet, 'é')"},
		{"A04-esc.ipynb", 1, "print(greet)", "print(greet, 'é')"},
		{"A14.ipynb", 0, "loose", "tight"},
		{"A17.ipynb", 1, "42", "43"},
		{"A18.ipynb", 0, "20", "21"},
		{"A10.ipynb", 0, "a = 1", "a = 11"},
	} {
		before, after := edited(t, c.name, c.cell, c.from, c.to)
		if out, in := diff(before, after); out != 1 || in != 1 {
			t.Errorf("%s: %d lines out, %d in\n%s", c.name, out, in, after)
		}
	}
}

func TestOneLineFileStaysOneLine(t *testing.T) {
	before, after := edited(t, "A02-oneline.ipynb", 1, "42", "43")
	if want := strings.Replace(before, "answer = 42", "answer = 43", 1); after != want {
		t.Errorf("got %s", after)
	}
}

func TestEscapesStayAsTheFileHasThem(t *testing.T) {
	_, raw := edited(t, "A04-raw.ipynb", 1, "print(greet)", "print(greet, 'é😀')")
	if strings.Contains(raw, `\u`) || !strings.Contains(raw, "'é😀'") {
		t.Error("the raw file got escapes")
	}
	_, esc := edited(t, "A04-esc.ipynb", 1, "print(greet)", "print(greet, 'é😀')")
	if !isASCII(esc) || !strings.Contains(esc, `'\u00e9\ud83d\ude00'`) {
		t.Error("the escaped file got raw bytes")
	}
}

func TestLooseJSONStays(t *testing.T) {
	_, after := edited(t, "A14.ipynb", 0, "loose", "tight")
	if !strings.Contains(after, `"metadata": {"run": {"loss": NaN, "best": -Infinity, "worst": Infinity}},`) ||
		!strings.Contains(after, `"source": ["print('tight json')"]`) {
		t.Error(after)
	}
	odd := `{"cells":[{"cell_type":"code","a":1e2,"a":1E+2,"source":["x\ud83d\n","y\n","\u0041 z"],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":2}`
	f := parse(t, []byte(odd))
	plan := keep(f)
	text := strings.Replace(f.Cells()[0].Text(), "y", "yy", 1)
	plan[0].Source = &text
	if got, want := write(t, f, plan), strings.Replace(odd, `"y\n"`, `"yy\n"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCRLF(t *testing.T) {
	f := parse(t, load(t, "A18.ipynb"))
	if got := f.Cells()[0].Text(); got != "x = 10\ny = 20\nprint(x + y)" {
		t.Errorf("the cell reads %q", got)
	}
	plan := keep(f)
	text := "x = 10\nnew = 1\ny = 20\nprint(x + y)\n"
	plan[0].Source = &text
	plan = append(plan, newCode("fresh"))
	after := write(t, f, plan)
	if strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Errorf("a bare line end:\n%q", after)
	}
	if !strings.Contains(after, `"new = 1\r\n",`) || !strings.Contains(after, `"print(x + y)\r\n"`) {
		t.Errorf("new lines took another ending:\n%s", after)
	}
}

func newCode(source string) CellPlan {
	typ, id := "code", "new1"
	return CellPlan{From: -1, Type: &typ, ID: &id, Source: &source}
}

func TestSourceForms(t *testing.T) {
	f := parse(t, load(t, "A10.ipynb"))
	want := []string{"a = 1\nb = 2", "c = 3\nd = 4\n", "", "e = 5\nfull = 6", "single string markdown", "", "print('out')"}
	for i, c := range f.Cells() {
		if c.Text() != want[i] {
			t.Errorf("cell %d reads %q", i, c.Text())
		}
	}
	plan := keep(f)
	for i := range plan {
		text := want[i] + "\nmore é"
		plan[i].Source = &text
	}
	after := parse(t, []byte(write(t, f, plan)))
	for i, c := range after.Cells() {
		if c.Text() != want[i]+"\nmore é" {
			t.Errorf("cell %d came back as %q", i, c.Text())
		}
		before := f.Cells()[i].Source.Kind()
		if before == rawjson.Null {
			before = rawjson.Array
		}
		if c.Source.Kind() != before {
			t.Errorf("cell %d changed its form: %s", i, c.Source)
		}
	}
	if got := string(after.Cells()[2].Source); got != "[\n    \"\\n\",\n    \"more é\"\n   ]" {
		t.Errorf("the empty list became %q", got)
	}
}

func TestRunMakesCellsValid(t *testing.T) {
	f := parse(t, load(t, "A13.ipynb"))
	if len(f.Cells()) != 5 {
		t.Fatal(len(f.Cells()))
	}
	plan := keep(f)
	n := 1
	for i := 3; i < 5; i++ {
		plan[i].Count, plan[i].Outputs = &n, []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf("no\n")}}}
	}
	after := write(t, f, plan)
	if !strings.Contains(after, `{
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "no\n"
     ]
    }
   ],
   "source": [
    "print('no outputs key')"
   ]
  }`) {
		t.Error(after)
	}
	if !strings.Contains(after, `"metadata": null`) {
		t.Error("a cell that did not run was changed")
	}
}

func TestInsertMoveDelete(t *testing.T) {
	for _, name := range []string{"A01.ipynb", "A02-2sp.ipynb", "A02-oneline.ipynb", "A37.ipynb", "A02-tab.ipynb"} {
		f := parse(t, load(t, name))
		plan := append([]CellPlan{newCode("x = 1\nx")}, keep(f)...)
		after := write(t, f, plan)
		g := parse(t, []byte(after))
		if len(g.Cells()) != len(plan) || g.Cells()[0].Text() != "x = 1\nx" {
			t.Errorf("%s: %s", name, after)
		}
		// Taking it out again gives the old bytes: the new cell disturbed nothing beside it.
		plan = keep(g)[1:]
		if got := write(t, g, plan); got != string(load(t, name)) && len(plan) > 0 {
			t.Errorf("%s: after insert and delete:\n%s", name, got)
		}
		if out, _ := diff(string(load(t, name)), after); out > 1 { // an empty list is opened
			t.Errorf("%s: %d lines went with an insert", name, out)
		}
	}
	f := parse(t, load(t, "A01.ipynb"))
	moved := write(t, f, []CellPlan{{From: 1}, {From: 0}})
	g := parse(t, []byte(moved))
	if got := write(t, g, []CellPlan{{From: 1}, {From: 0}}); got != string(load(t, "A01.ipynb")) {
		t.Errorf("moved there and back:\n%s", got)
	}
	if got := write(t, f, nil); !strings.Contains(got, `"cells": []`) {
		t.Error(got)
	}
}

func TestTypeChange(t *testing.T) {
	f := parse(t, load(t, "A29.ipynb"))
	code, md := "code", "markdown"
	plan := keep(f)
	plan[0].Type = &code
	after := write(t, f, plan)
	c := parse(t, []byte(after)).Cells()[0]
	if c.Type != "code" || string(c.Outputs) != "[]" || c.Attachments != nil {
		t.Error(after)
	}
	f = parse(t, load(t, "A01.ipynb"))
	plan = keep(f)
	plan[1].Type = &md
	after = write(t, f, plan)
	if c := parse(t, []byte(after)).Cells()[1]; c.Type != "markdown" || c.Outputs != nil || strings.Contains(after, "execution_count") {
		t.Error(after)
	}
}

func TestMetadataEdits(t *testing.T) {
	spec := MetadataEdit{"kernelspec", rawjson.Value(`{"name":"python3","language":"python","display_name":"Python 3"}`)}
	f := parse(t, []byte("{\n  \"cells\": [],\n  \"metadata\": {},\n  \"nbformat\": 4,\n  \"nbformat_minor\": 5\n}\n"))
	want := `{
  "cells": [],
  "metadata": {
    "kernelspec": {
      "display_name": "Python 3",
      "language": "python",
      "name": "python3"
    }
  },
  "nbformat": 4,
  "nbformat_minor": 5
}
`
	if got := write(t, f, nil, spec); got != want {
		t.Error(got)
	}
	f = parse(t, load(t, "A13.ipynb")) // no metadata at all
	got := write(t, f, keep(f), spec)
	if out, in := diff(string(load(t, "A13.ipynb")), got); out != 0 || in != 7 {
		t.Errorf("%d out, %d in\n%s", out, in, got)
	}
	f = parse(t, load(t, "A06.ipynb"))
	got = write(t, f, keep(f), MetadataEdit{Key: "site"})
	if strings.Contains(got, "slug") || !strings.Contains(got, `"widgets": {}`) {
		t.Error(got)
	}
}

func TestPlansThatCannotBe(t *testing.T) {
	f := parse(t, load(t, "A01.ipynb"))
	for _, plan := range [][]CellPlan{{{From: 2}}, {{From: 0}, {From: 0}}, {{From: -1}}, {{From: -2}}} {
		var b bytes.Buffer
		if err := f.Write(&b, plan); err == nil || b.Len() > 0 {
			t.Errorf("%v was written", plan)
		}
	}
}
