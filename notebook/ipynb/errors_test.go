package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func TestWhatIsNoNotebook(t *testing.T) {
	for _, c := range []struct {
		name, data string
		trouble    Trouble
		line, at   int
		says       string
	}{
		{"A19", string(load(t, "A19.ipynb")), Conflict, 26, 349, "merge conflict markers (line 26"},
		{"A20", string(load(t, "A20.ipynb")), CutOff, 21, 461, "ends too early (line 21, byte 461)"},
		{"A22", string(load(t, "A22.ipynb")), WebPage, 0, 0, "looks like a web page, not a notebook"},
		{"zero bytes", "", Empty, 0, 0, "empty"},
		{"space and BOM", "\xEF\xBB\xBF \n\t", Empty, 0, 0, "empty"},
		{"utf-16", "\xFF\xFE{\x00", NotJSON, 0, 0, "UTF-16"},
		{"python", "import os\n", NotJSON, 1, 0, "not JSON"},
		{"trailing", "{\"nbformat\": 4, \"cells\": []}\n{}", NotJSON, 2, 29, "the end is due"},
		{"deep", strings.Repeat("[", 20_000), NotJSON, 0, 0, "nested"},
		{"list", "[1]", NotNotebook, 0, 0, "not a notebook"},
		{"package.json", `{"name":"x"}`, NotNotebook, 0, 0, `no "nbformat"`},
		{"no cells", `{"nbformat":4}`, NotNotebook, 0, 0, `no "cells" list`},
		{"cells null", `{"nbformat":4,"cells":[],"cells":null}`, NotNotebook, 0, 0, `no "cells" list`},
		{"nbformat 0", `{"nbformat":0,"cells":[]}`, NotNotebook, 0, 0, "does not exist"},
		{"conflict first", "<<<<<<< HEAD\n{}", Conflict, 1, 0, "merge conflict"},
	} {
		_, err := Parse([]byte(c.data))
		var f *FormatError
		if !errors.As(err, &f) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if f.Trouble != c.trouble || f.Line != c.line || f.Offset != c.at || !strings.Contains(err.Error(), c.says) || f.Next == "" {
			t.Errorf("%s: trouble %d, line %d, byte %d: %v", c.name, f.Trouble, f.Line, f.Offset, err)
		}
	}
}

func TestNewerFormatsAreReadOnly(t *testing.T) {
	data := `{"nbformat":5,"cells":[{"cell_type":"code","source":"x","outputs":[]}]}`
	f := parse(t, []byte(data))
	if !strings.Contains(f.ReadOnly(), "nbformat 5") || f.Cells()[0].Text() != "x" {
		t.Errorf("%q, %q", f.ReadOnly(), f.Cells()[0].Text())
	}
	if got := write(t, f, keep(f)); got != data {
		t.Errorf("unedited it became %s", got)
	}
	var b strings.Builder
	if err := f.Write(&b, nil, MetadataEdit{"a", []byte("1")}); !errors.Is(err, ErrReadOnly) || b.Len() > 0 {
		t.Error(err)
	}
}

func TestOlderFormatsAreConverted(t *testing.T) {
	for _, c := range []struct {
		data string
		from int
		text string
	}{
		{`{"nbformat":2,"worksheets":[{"cells":[{"cell_type":"code","input":"x","outputs":[]}]}]}`, 2, "x"},
		{`{"nbformat":1,"cells":[{"cell_type":"code","code":"x"}]}`, 1, "x"},
		{`{"nbformat":3,"worksheets":null,"cells":[{"input":"x"}]}`, 3, ""},
		{`{"nbformat":3,"worksheets":[{"cells":[7,{"input":"x"},{"cell_type":"rst","source":["a","b"]}]},{"cells":[{"cell_type":"markdown","source":"c"}]}]}`, 3, "xabc"},
	} {
		f := parse(t, []byte(c.data))
		text := ""
		for _, cell := range f.Cells() {
			text += cell.Text()
		}
		if major, minor := f.Version(); f.Converted() != c.from || major != 4 || minor != 4 || f.ReadOnly() != "" || text != c.text {
			t.Errorf("%s: from %d, %d.%d, %q, %q", c.data, f.Converted(), major, minor, f.ReadOnly(), text)
		}
		again := parse(t, []byte(write(t, f, keep(f))))
		if major, _ := again.Version(); again.Converted() != 0 || major != 4 {
			t.Errorf("%s was written as %s", c.data, again.Bytes())
		}
	}
}

// All that an output of nbformat 3 may hold finds its place.
func TestOutputsOfOlderFormats(t *testing.T) {
	f := parse(t, []byte(`{"nbformat":3,"metadata":{"name":"n","k":1},"worksheets":[{"cells":[{"cell_type":"code","input":[],"collapsed":true,"prompt_number":7,"outputs":[
{"output_type":"pyout","png":"aWM=","text":["a"],"json":"{\"x\": 1}","odd":"y","metadata":{"png":{"width":3}}},
{"output_type":"display_data","svg":"<svg/>"},{"output_type":"pyerr"},{"output_type":"stream"}]}]}]}`))
	var got []string
	for _, o := range f.Cells()[0].Outputs.Elements() {
		got = append(got, string(compact(o)))
	}
	want := []string{
		`{"data":{"application/json":{"x":1},"image/png":"aWM=","odd":"y","text/plain":["a"]},"execution_count":7,"metadata":{"image/png":{"width":3}},"output_type":"execute_result"}`,
		`{"data":{"image/svg+xml":"<svg/>"},"metadata":{},"output_type":"display_data"}`,
		`{"ename":"","evalue":"","output_type":"error","traceback":[]}`,
		`{"name":"stdout","output_type":"stream","text":[]}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if meta := string(compact(f.Metadata())); meta != `{"k":1}` || f.Cells()[0].Count != 7 {
		t.Error(meta)
	}
}

func compact(v rawjson.Value) rawjson.Value {
	var b bytes.Buffer
	_ = json.Compact(&b, v) // the tests use strict JSON
	return b.Bytes()
}
