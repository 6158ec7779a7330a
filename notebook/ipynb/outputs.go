package ipynb

import (
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// outputs writes a cell's outputs as nbformat 4 has them. Outputs that were read from a
// file keep their bytes. What an output shares with a running cell may grow meanwhile;
// the text is written as it was when its turn came.
func (w *writer) outputs(outs []mime.Output, l layout) {
	s := list{w: w, l: l}
	for _, o := range outs {
		if o.Raw == nil && !known(o.Body) {
			continue
		}
		s.begin()
		if o.Raw != nil {
			w.kept(o.Raw, l.deeper())
			continue
		}
		f := &fields{w: w, l: l.deeper()}
		switch b := w.load(o.Body).(type) {
		case *mime.Stream:
			w.stream(f, b)
		case *mime.Data:
			w.data(f, b)
		case *mime.Error:
			w.failure(f, b)
		}
		f.end()
	}
	s.end()
}

// known tells whether nbformat has a form for b.
func known(b mime.Body) bool {
	switch b.(type) {
	case *mime.Stream, *mime.Data, *mime.Error, *mime.Held:
		return true
	}
	return false
}

// load reads a body back that was spilled: one at a time is in memory.
func (w *writer) load(b mime.Body) mime.Body {
	h, ok := b.(*mime.Held)
	if !ok {
		return b
	}
	b, err := h.Load()
	if w.err == nil {
		w.err = err
	}
	return b
}

func (w *writer) stream(f *fields, b *mime.Stream) {
	f.key("name")
	w.quoted(b.Name)
	f.key("output_type")
	w.quoted("stream")
	s := lineList{list: list{w: w, l: f.key("text")}}
	err := b.Text.View().Chunks(0, func(p []byte) error {
		s.piece(p)
		return w.err
	})
	if w.err == nil {
		w.err = err
	}
	s.finish()
}

func (w *writer) data(f *fields, b *mime.Data) {
	w.bundle(b.Bundle, f.key("data"))
	if b.Result {
		f.key("execution_count")
		w.count(b.Count)
	}
	w.object(b.Metadata, f.key("metadata"), true)
	f.key("output_type")
	if b.Result {
		w.quoted("execute_result")
	} else {
		w.quoted("display_data")
	}
}

func (w *writer) failure(f *fields, b *mime.Error) {
	f.key("ename")
	w.quoted(b.Name)
	f.key("evalue")
	w.quoted(b.Value)
	f.key("output_type")
	w.quoted("error")
	s := list{w: w, l: f.key("traceback")}
	for _, line := range b.Traceback {
		s.begin()
		w.quoted(line)
	}
	s.end()
}

// bundle writes a MIME bundle. Which texts become lists of lines is nbformat's choice
// (nbformat/v4/rwbase.py, split_lines), so that diffs of saved notebooks stay readable.
func (w *writer) bundle(b mime.Bundle, l layout) {
	sorted := make(map[string]rawjson.Value, len(b))
	for _, e := range b {
		sorted[e.Type] = e.Value
	}
	f := fields{w: w, l: l}
	for _, typ := range sortedKeys(sorted) {
		v := sorted[typ]
		at := f.key(typ)
		switch {
		case mime.IsJSON(typ), v.Kind() != rawjson.String && v.Kind() != rawjson.Array:
			w.value(v, at, true)
		case strings.HasPrefix(typ, "text/"), typ == "image/svg+xml", typ == "application/javascript":
			w.lines(mime.JoinText(v), at)
		default:
			w.quoted(mime.JoinText(v))
		}
	}
	f.end()
}

// count writes an execution count, null for 0.
func (w *writer) count(n int) {
	if n == 0 {
		w.str("null")
		return
	}
	w.str(itoa(n))
}

// object writes v if it is an object, else {}.
func (w *writer) object(v rawjson.Value, l layout, sorted bool) {
	switch {
	case v.Kind() != rawjson.Object:
		w.str("{}")
	case sorted:
		w.value(v, l, true)
	default:
		w.kept(v, l)
	}
}
