package notebook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// python returns a Python that has nbformat.
func python(t *testing.T) string {
	t.Helper()
	py := os.Getenv("NBTERM_TEST_PYTHON")
	if py == "" {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("NBTERM_TEST_PYTHON names no Python with nbformat")
		}
		t.Skip("NBTERM_TEST_PYTHON names no Python with nbformat")
	}
	return py
}

// everything is one output of every kind, with what is hard about each.
func everything() []mime.Output {
	bundle := mime.Bundle{
		{Type: "text/plain", Value: rawjson.Quote("a\r50%\r\nb\u2028c\x0bd\x0ce\x1cf\u0085g")},
		{Type: "text/html", Value: rawjson.Value(`["<b>","x</b>\n","y"]`)},
		{Type: "image/png", Value: rawjson.Quote("iVBORw0K\nGgo=\n")},
		{Type: "image/svg+xml", Value: rawjson.Quote("<svg>\n</svg>")},
		{Type: "application/javascript", Value: rawjson.Quote("a\nb")},
		{Type: "application/x-other", Value: rawjson.Quote("a\nb")},
		{Type: "text/latex", Value: rawjson.Quote("")},
		{Type: "application/vnd.x.v1+json", Value: rawjson.Value(`{ "z":[1,{}, []],"a" : {"k\u00e9":"\u2713 \ud83d\ude00"},"b":null}`)},
		{Type: "application/json", Value: rawjson.Value(`"just text\nwith a line"`)},
	}
	meta := rawjson.Value(`{"z":{"b":1,"a":true},"a":"é"}`)
	return []mime.Output{
		{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf("one\ntwo é 😀\n\rthree\r\n\x1b[31mred\x1b[0m \"q\" \\ \x7f\x00")}},
		{Body: &mime.Stream{Name: "stderr", Text: mime.TextOf("")}},
		{Body: &mime.Data{Bundle: bundle, Metadata: meta, DisplayID: "never saved"}},
		{Body: &mime.Data{Result: true, Count: 3, Bundle: bundle}},
		{Body: &mime.Data{}},
		{Body: &mime.Error{Name: "E", Value: "line\nline", Traceback: []string{"\x1b[0;31mE\x1b[0m", "a\nb"}}},
		{Body: &mime.Error{}},
	}
}

// useHard edits, inserts, retypes, moves and runs, as a user would.
func useHard(t *testing.T, d *Document) {
	t.Helper()
	for i, c := range d.Cells() {
		do(t, d, SetSource{Key: c.Key, Source: c.Source + "\nmore é 😀\n\tlast"})
		if i == 0 && c.Type != Code {
			do(t, d, SetType{Key: c.Key, Type: Raw}, SetType{Key: c.Key, Type: Code})
		}
	}
	do(t, d, Insert{At: 0, Cells: append(d.Copy(keys(d)...),
		NewCell{Type: Markdown, Source: "# New"}, NewCell{Type: Raw}, NewCell{Type: Code, Metadata: rawjson.Value(`{"a":{},"tags":["x"]}`)})})
	do(t, d, Move{Keys: keys(d)[:1], To: 1})
	for i, c := range d.Cells() {
		if c.Type != Code {
			continue
		}
		if err := d.SetOutputs(c.Key, everything(), i); err != nil {
			t.Fatal(err)
		}
	}
	d.KernelRan("python3", "Python 3", "python", rawjson.Value(`{"version":"3.12.1","name":"python","mimetype":"text/x-python","file_extension":".py","codemirror_mode":{"version":3,"name":"ipython"}}`))
}

func TestNbformatAccepts(t *testing.T) {
	py := python(t)
	dir := t.TempDir()
	save := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("new.ipynb", text(t, New()))
	d := New()
	useHard(t, d)
	save("new-used.ipynb", text(t, d))
	old, _ := open(t, "A11.ipynb")
	save("old.ipynb", text(t, old))
	useHard(t, old)
	save("old-used.ipynb", text(t, old))
	files, err := filepath.Glob(filepath.Join("..", "testdata", "cases", "*.ipynb"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	more, err := filepath.Glob(filepath.Join("..", "testdata", "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, more...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		save(name+"-kept.before", string(data))
		save(name+"-kept.ipynb", text(t, d))
		useHard(t, d)
		save(name+".before", string(data))
		save(name+".ipynb", text(t, d))
	}
	out, err := exec.Command(py, filepath.Join("testdata", "validate.py"), dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "exact: 0\n") {
		t.Error("no file was compared byte by byte")
	}
	t.Logf("%s", out)
}
