package ipynb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Whatever the bytes: no panic; what opens is written back as it was; and with every
// source changed and every code cell run it still opens, saying what was written.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"cases", "broken"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", dir, "*.ipynb"))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, "x\ny")
		}
	}
	f.Add([]byte(`{"nbformat":4,"cells":[{},null,1,{"source":[1,"a\r","\nb"],"source":"q\\n\n"},{"cell_type" : "code" }]} `), "a\rb")
	f.Add([]byte("{\n\"nbformat\":4,\"cells\":[\n{ }\n]\n}"), "\u2028\x85\ufffd")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		file, err := Parse(data)
		if err != nil {
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("another error: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := file.Write(&b, keep(file)); err != nil || !bytes.Equal(b.Bytes(), file.Bytes()) || file.Converted() == 0 && !bytes.Equal(b.Bytes(), data) {
			t.Fatalf("unedited: %v\n%q\n%q", err, data, b.Bytes())
		}
		if file.ReadOnly() == "" {
			change(t, file, newlines(text))
		}
	})
}

func change(t *testing.T, file *File, text string) {
	plan := keep(file)
	code, n := "code", 7
	want := map[int]string{}
	for i, c := range file.Cells() {
		if raw := file.data[file.list.elements[i].start]; raw != '{' {
			continue
		}
		s := text + c.Text() + text
		want[i] = s
		plan[i].Source, plan[i].Count, plan[i].Outputs = &s, &n, []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: mime.TextOf(s)}}}
	}
	want[len(plan)] = text
	plan = append(plan, CellPlan{From: -1, Type: &code, Source: &text})
	after := parse(t, []byte(write(t, file, plan, MetadataEdit{"k", rawjson.Value(`{"a":[1]}`)})))
	if len(after.Cells()) != len(plan) || after.Metadata().Get("k") == nil {
		t.Fatal("cells or metadata were lost")
	}
	for i, s := range want {
		c := after.Cells()[i]
		if c.Text() != s {
			t.Errorf("cell %d says %q, want %q", i, c.Text(), s)
		}
		if c.Type == "code" && i < len(plan)-1 {
			if got := mime.ReadOutputs(c.Outputs)[0].Decode().(*mime.Stream).Text.String(); got != s {
				t.Errorf("cell %d put out %q, want %q", i, got, s)
			}
		}
	}
}
