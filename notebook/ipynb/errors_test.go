package ipynb

import (
	"errors"
	"strings"
	"testing"
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

func TestOtherFormatsAreReadOnly(t *testing.T) {
	for _, c := range []struct{ data, says, text string }{
		{`{"nbformat":5,"cells":[{"cell_type":"code","source":"x","outputs":[]}]}`, "nbformat 5", "x"},
		{`{"nbformat":2,"worksheets":[{"cells":[{"cell_type":"code","input":"x","outputs":[]}]}]}`, "nbformat 2", "x"},
		{`{"nbformat":1,"cells":[{"cell_type":"code","code":"x"}]}`, "nbformat 1", "x"},
		{`{"nbformat":3,"worksheets":null,"cells":[{"input":"x"}]}`, "nbformat 3", ""},
	} {
		f := parse(t, []byte(c.data))
		text := ""
		for _, cell := range f.Cells() {
			text += cell.Text()
		}
		if !strings.Contains(f.ReadOnly(), c.says) || text != c.text {
			t.Errorf("%s: %q, %q", c.data, f.ReadOnly(), text)
		}
		if got := write(t, f, keep(f)); got != c.data {
			t.Errorf("unedited it became %s", got)
		}
		var b strings.Builder
		if err := f.Write(&b, nil, MetadataEdit{"a", []byte("1")}); !errors.Is(err, ErrReadOnly) || b.Len() > 0 {
			t.Error(err)
		}
	}
}
