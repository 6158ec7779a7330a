package notebook

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/ipynb"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func open(t testing.TB, name string) (*Document, string) {
	t.Helper()
	for _, dir := range []string{"cases", "broken"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", dir, name))
		if err != nil {
			continue
		}
		d, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return d, string(data)
	}
	t.Fatalf("no %s in testdata", name)
	return nil, ""
}

func text(t testing.TB, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	n, err := d.Snapshot().WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Errorf("WriteTo counted %d of %d bytes", n, b.Len())
	}
	return b.String()
}

func do(t testing.TB, d *Document, ops ...Op) {
	t.Helper()
	if err := d.Do("Test", ops...); err != nil {
		t.Fatal(err)
	}
}

func stdout(s string) []mime.Output {
	return []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf(s)}}}
}

func sources(d *Document) string {
	var out []string
	for _, c := range d.Cells() {
		out = append(out, c.Source)
	}
	return strings.Join(out, "|")
}

func keys(d *Document) []CellKey {
	var out []CellKey
	for _, c := range d.Cells() {
		out = append(out, c.Key)
	}
	return out
}

func TestOpeningChangesNothing(t *testing.T) {
	for _, name := range []string{"A06.ipynb", "A07.ipynb", "A13.ipynb", "A37.ipynb"} {
		d, data := open(t, name)
		if d.Dirty() || text(t, d) != data {
			t.Errorf("%s: changed by opening", name)
		}
	}
	if New().Dirty() {
		t.Error("a new document is dirty")
	}
}

func TestRunKeepsUnknownFields(t *testing.T) { // A06
	d, before := open(t, "A06.ipynb")
	if err := d.SetOutputs(d.Cells()[1].Key, stdout("2\n"), 5); err != nil {
		t.Fatal(err)
	}
	d.KernelRan("other", "Other", "python", rawjson.Value(`{"name":"python"}`))
	if !d.Dirty() {
		t.Error("a run leaves the document clean")
	}
	after := rawjson.Value(text(t, d))
	for _, k := range []string{"x_future", "metadata"} {
		if string(after.Get(k)) != string(rawjson.Value(before).Get(k)) {
			t.Errorf("%s became %s", k, after.Get(k))
		}
	}
	cell := after.Get("cells").Elements()[1]
	if string(cell.Get("metadata")) != string(rawjson.Value(before).Get("cells").Elements()[1].Get("metadata")) {
		t.Errorf("metadata became %s", cell.Get("metadata"))
	}
	if n, _ := cell.Get("execution_count").Int(); n != 5 || strings.Contains(string(cell), "x_out_extra") {
		t.Errorf("the run left %s", cell)
	}
}

func TestTwins(t *testing.T) { // A07
	d, before := open(t, "A07.ipynb")
	if len(d.Notices()) != 1 {
		t.Errorf("notices: %q", d.Notices())
	}
	if err := d.SetOutputs(d.Cells()[1].Key, stdout("second twin\n"), 1); err != nil {
		t.Fatal(err)
	}
	if len(d.Cells()[0].Outputs()) != 0 || len(d.Cells()[1].Outputs()) != 1 {
		t.Error("the outputs are in the wrong cell")
	}
	after := rawjson.Value(text(t, d)).Get("cells").Elements()
	if len(after) != 3 || string(after[0]) != string(rawjson.Value(before).Get("cells").Elements()[0]) {
		t.Error("the first twin changed")
	}
}

func TestOddIDs(t *testing.T) { // A09
	d, before := open(t, "A09.ipynb")
	for i, c := range d.Cells() {
		if err := d.SetOutputs(c.Key, stdout(fmt.Sprintln(i)), i+1); err != nil {
			t.Fatal(err)
		}
	}
	after := rawjson.Value(text(t, d)).Get("cells").Elements()
	for i, c := range rawjson.Value(before).Get("cells").Elements() {
		if string(after[i].Get("id")) != string(c.Get("id")) {
			t.Errorf("id %s became %s", c.Get("id"), after[i].Get("id"))
		}
	}
	do(t, d, Insert{At: 4, Cells: d.Copy(d.Cells()[3].Key)})
	if id := d.Cells()[4].ID; !validID(id) {
		t.Errorf("the copy has id %q", id)
	}
}

func TestEmptyNotebook(t *testing.T) { // A37
	d, before := open(t, "A37.ipynb")
	for _, op := range []Op{Delete{}, Move{}, ClearOutputs{}, Insert{}} {
		do(t, d, op)
	}
	if d.Dirty() || d.CanUndo() || text(t, d) != before {
		t.Error("nothing was done, yet something changed")
	}
	if _, err := d.Undo(); !errors.Is(err, ErrNothingToUndo) {
		t.Error(err)
	}
	do(t, d, Insert{Cells: []NewCell{{Type: Code, Source: "1"}}})
	if place, err := d.Undo(); err != nil || place.Key != "" || d.Dirty() {
		t.Error(place, err, d.Dirty())
	}
}

func TestOldNotebookIsConverted(t *testing.T) { // A11
	d, _ := open(t, "A11.ipynb")
	if d.ReadOnly() != "" || d.Converted() != 3 || d.Dirty() {
		t.Error(d.ReadOnly(), d.Converted(), d.Dirty())
	}
	if got := sources(d); got != "# Results|6*7|print 'py2 style'\n1/0|last words" {
		t.Error(got)
	}
	c := d.Cells()
	if data, ok := c[1].Outputs()[0].Decode().(*mime.Data); !ok || !data.Result || c[1].Count != 3 {
		t.Errorf("%s", c[1].Outputs()[0].Raw)
	} else if s, _ := data.Bundle.Plain(); s != "42" {
		t.Error(s)
	}
	if e, ok := c[2].Outputs()[1].Decode().(*mime.Error); !ok || e.Name != "ZeroDivisionError" {
		t.Errorf("%s", c[2].Outputs()[1].Raw)
	}
	do(t, d, SetSource{Key: c[0].Key, Source: "x"})
	if err := d.SetOutputs(c[1].Key, nil, 1); err != nil {
		t.Error(err)
	}
	after, err := Parse([]byte(text(t, d)))
	if err != nil || after.Converted() != 0 || !strings.HasPrefix(sources(after), "x|6*7|") {
		t.Errorf("%v %s", err, sources(after))
	}
}

func TestRawCellsStayRaw(t *testing.T) { // A30
	d, before := open(t, "A30.ipynb")
	c := d.Cells()
	for i, k := range []int{0, 2} {
		if err := d.SetOutputs(c[k].Key, stdout("x\n"), i+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.SetOutputs(c[1].Key, stdout("x\n"), 1); err == nil {
		t.Error("a raw cell took outputs")
	}
	after := rawjson.Value(text(t, d)).Get("cells").Elements()
	if string(after[1]) != string(rawjson.Value(before).Get("cells").Elements()[1]) {
		t.Errorf("the raw cell became %s", after[1])
	}
}

func TestAttachmentsTravel(t *testing.T) { // A29
	d, _ := open(t, "A29.ipynb")
	c := d.Cells()[0]
	do(t, d, SetSource{Key: c.Key, Source: c.Source + "\nmore"}, Insert{At: 1, Cells: d.Copy(c.Key)})
	cells := rawjson.Value(text(t, d)).Get("cells").Elements()
	for i := range 2 {
		if got := cells[i].Get("attachments"); string(got) != string(c.Attachments()) {
			t.Errorf("cell %d has attachments %s", i, got)
		}
	}
}

func TestUndoLeavesRunsAlone(t *testing.T) {
	d, _ := open(t, "A01.ipynb")
	code := d.Cells()[1].Key
	do(t, d, SetSource{Key: code, Source: "3"})
	do(t, d, Delete{Keys: []CellKey{code}})
	if err := d.SetOutputs(code, stdout("late\n"), 9); err != nil {
		t.Fatal("a deleted cell's run was lost:", err)
	}
	for range 2 {
		if _, err := d.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	c := d.Cell(code)
	if c.Source != "total = 1 + 1\ntotal" || c.Count != 9 || len(c.Outputs()) != 1 || c.Outputs()[0].Raw != nil {
		t.Errorf("%+v", c)
	}
	if !d.Dirty() {
		t.Error("the run is not saved, and yet the document is clean")
	}
}

func TestUndoOfClearing(t *testing.T) {
	d, before := open(t, "A01.ipynb")
	code := d.Cells()[1].Key
	do(t, d, ClearOutputs{Keys: keys(d)})
	if len(d.Cell(code).Outputs()) != 0 || d.Cell(code).Count != 0 || !strings.Contains(text(t, d), `"outputs": []`) {
		t.Error("not cleared")
	}
	if _, err := d.Undo(); err != nil || text(t, d) != before || d.Dirty() {
		t.Error("undo did not bring the outputs back", err)
	}
	if _, err := d.Redo(); err != nil {
		t.Fatal(err)
	}
	if err := d.SetOutputs(code, stdout("new\n"), 2); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(); err != nil || d.Cell(code).Count != 2 {
		t.Error("undo of clearing took a run back", err)
	}
}

func TestDirty(t *testing.T) {
	d, _ := open(t, "A01.ipynb")
	key := d.Cells()[0].Key
	do(t, d, SetSource{Key: key, Source: "one"})
	saved := d.Snapshot()
	do(t, d, SetSource{Key: key, Source: "two"})
	d.MarkSaved(saved)
	if !d.Dirty() {
		t.Error("the second edit is not saved")
	}
	if _, err := d.Undo(); err != nil || d.Dirty() {
		t.Error("undone back to what was saved, but dirty")
	}
	if _, err := d.Undo(); err != nil || !d.Dirty() {
		t.Error("undone past what was saved, but clean")
	}
	if _, err := d.Redo(); err != nil || d.Dirty() {
		t.Error("redone to what was saved, but dirty")
	}
}

func TestTypingIsOneStep(t *testing.T) {
	d := New()
	key := d.Cells()[0].Key
	for i, r := range "word" {
		if err := d.Type("insert", key, Splice{i, i, string(r)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := 3; i > 1; i-- {
		if err := d.Type("delete", key, Splice{i, i + 1, ""}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(d.history.undo); n != 2 || d.Cell(key).Source != "wo" {
		t.Errorf("%d steps, %q", n, d.Cell(key).Source)
	}
	for _, want := range []string{"word", ""} {
		if place, err := d.Undo(); err != nil || place.Key != key || d.Cell(key).Source != want {
			t.Errorf("%q, want %q (%v)", d.Cell(key).Source, want, err)
		}
	}
	if d.Dirty() {
		t.Error("all undone, but dirty")
	}
	if err := d.Type("insert", key, Splice{0, 0, "a\r\nb"}); err != nil || d.Cell(key).Source != "a\nb" {
		t.Errorf("%q", d.Cell(key).Source)
	}
	d.MarkSaved(d.Snapshot())
	if err := d.Type("insert", key, Splice{3, 3, "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Undo(); err != nil || d.Cell(key).Source != "a\nb" || d.Dirty() {
		t.Error("typing after a save joined the step before it")
	}
}

func TestFailedOpUndoesItsStep(t *testing.T) {
	d, before := open(t, "A01.ipynb")
	key := d.Cells()[0].Key
	err := d.Do("Cut", SetSource{Key: key, Source: "x"}, Delete{Keys: []CellKey{key}}, Delete{Keys: []CellKey{"none"}})
	if !errors.Is(err, ErrNoCell) || text(t, d) != before || d.CanUndo() || d.Dirty() {
		t.Error("half a step was done:", err)
	}
	for _, op := range []Op{
		Insert{At: 3},
		Insert{At: -1},
		Move{Keys: []CellKey{key}, To: 2},
		SetType{Key: key, Type: "heading"},
		Edit{key, Splice{0, 99, ""}},
		Edit{key, Splice{2, 1, ""}},
		SetSource{Key: "none"},
		ClearOutputs{Keys: []CellKey{"none"}},
	} {
		if err := d.Do("Test", op); err == nil {
			t.Errorf("%#v was done", op)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	d := New()
	d.history.limit = 10_000
	key := d.Cells()[0].Key
	for i := range 100 {
		do(t, d, SetSource{Key: key, Source: strings.Repeat(string(rune('a'+i%26)), 1000)})
	}
	if d.history.size > 10_000 || len(d.history.undo) == 0 || len(d.history.undo) > 10 {
		t.Errorf("%d steps of %d bytes", len(d.history.undo), d.history.size)
	}
}

// Whatever is done, undoing all of it gives the file's bytes back and redoing it the last state's.
func TestUndoRedoRandom(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		d, before := open(t, "A10.ipynb")
		for range 20 {
			ks := keys(d)
			var some []CellKey
			for _, k := range ks {
				if r.IntN(3) == 0 {
					some = append(some, k)
				}
			}
			n := len(ks) - len(some)
			ops := []Op{Insert{r.IntN(len(ks) + 1), d.Copy(some...)}, Move{some, r.IntN(n + 1)}, ClearOutputs{some}}
			if len(some) > 0 {
				ops = append(ops, Delete{some[:1]}, SetType{some[0], []CellType{Code, Raw, Markdown}[r.IntN(3)]}, SetSource{some[0], fmt.Sprint("v\n", r.IntN(9))})
			}
			do(t, d, ops[r.IntN(len(ops))])
		}
		after, order := text(t, d), keys(d)
		for d.CanUndo() {
			if _, err := d.Undo(); err != nil {
				t.Fatal(err)
			}
		}
		if text(t, d) != before || d.Dirty() {
			t.Fatalf("seed %d: undo did not lead back", seed)
		}
		for d.CanRedo() {
			if _, err := d.Redo(); err != nil {
				t.Fatal(err)
			}
		}
		if got := text(t, d); got != after || !slices.Equal(keys(d), order) {
			t.Fatalf("seed %d: redo led elsewhere", seed)
		}
	}
}

func TestKernelMetadata(t *testing.T) {
	info := rawjson.Value(`{"version":"3.12","name":"python","codemirror_mode":{"name":"ipython","version":3}}`)
	d := New()
	d.KernelRan("python3", "Python 3", "python", info)
	if name, _, lang := d.Kernelspec(); name != "python3" || lang != "python" || d.Language() != "python" || !d.Dirty() {
		t.Error(name, lang)
	}
	was := text(t, d)
	d.KernelRan("ir", "R", "R", rawjson.Value(`{"name":"R"}`))
	if text(t, d) != was {
		t.Error("what was there is written again")
	}
	d.SetKernel("ir", "R", "R", nil)
	if d.Language() != "R" || strings.Contains(text(t, d), "language_info") {
		t.Error(text(t, d))
	}
	d, before := open(t, "A01.ipynb")
	d.SetKernel("python3", "Python 3", "python", nil)
	if d.Dirty() || text(t, d) != before {
		t.Error("the same kernel again is a change")
	}
}

func TestFormatErrorsPassThrough(t *testing.T) {
	_, err := Parse([]byte("{"))
	var f *FormatError
	if !errors.As(err, &f) || f.Trouble != ipynb.CutOff {
		t.Error(err)
	}
}

func TestSnapshotStays(t *testing.T) {
	d, before := open(t, "A01.ipynb")
	s := d.Snapshot()
	do(t, d, Delete{Keys: keys(d)}, Insert{Cells: []NewCell{{Type: Raw, Source: "x"}}})
	d.SetKernel("a", "b", "c", nil)
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil || b.String() != before {
		t.Error("the snapshot changed", err)
	}
}

func TestErrorOutputsOfAnyShape(t *testing.T) { // A33
	d, _ := open(t, "A33.ipynb")
	var got []string
	for _, c := range d.Cells() {
		e := c.Outputs()[0].Decode().(*mime.Error)
		got = append(got, fmt.Sprintf("%s: %s %q", e.Name, e.Value, e.Traceback))
	}
	want := []string{`SyntaxFailure: bad token []`, `number: 3 ["line one\nline two"]`, `Lost: no trace key []`, `:  ["\x1b[0;31mBoom\x1b[0m: colored"]`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestJSONDataStaysJSON(t *testing.T) { // A32
	d, before := open(t, "A32.ipynb")
	do(t, d, SetSource{Key: d.Cells()[0].Key, Source: "edited"}, Insert{At: 3, Cells: d.Copy(keys(d)...)})
	cells := rawjson.Value(text(t, d)).Get("cells").Elements()
	for i, c := range rawjson.Value(before).Get("cells").Elements() {
		for _, got := range []rawjson.Value{cells[i].Get("outputs"), cells[i+3].Get("outputs")} {
			if string(got) != string(c.Get("outputs")) {
				t.Errorf("outputs %d became %s", i, got)
			}
		}
	}
}

func TestPastedCellsTakeTheFilesManner(t *testing.T) {
	from, _ := open(t, "A29.ipynb") // indent 1
	for _, name := range []string{"A02-4sp.ipynb", "A02-oneline.ipynb"} {
		d, before := open(t, name)
		do(t, d, Insert{At: 0, Cells: from.Copy(keys(from)[0])})
		got := text(t, d)
		if strings.Count(before, "\n") < 3 {
			if strings.Count(got, "\n") != strings.Count(before, "\n") {
				t.Errorf("%s: more lines\n%s", name, got)
			}
			continue
		}
		if !strings.Contains(got, "\n            \"attachments\": {\n                \"dot.png\": {\n                    \"image/png\": ") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestForeignCellsAreNamed(t *testing.T) {
	d, err := Parse([]byte(`{"cells":[5,{"cell_type":"code","source":"x"},{"cell_type":"code","source":5}],"metadata":{},"nbformat":4,"nbformat_minor":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Notices(); len(n) != 1 || !strings.HasPrefix(n[0], "cell 1, 3: ") {
		t.Errorf("notices %q", n)
	}
	if err := d.SetOutputs(d.Cells()[2].Key, stdout("ran\n"), 1); err != nil {
		t.Fatal(err)
	}
	if got := text(t, d); !strings.Contains(got, `"source":5`) || !strings.Contains(got, `[5,`) {
		t.Errorf("a run changed more than the outputs: %s", got)
	}
}
