package ipynb

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// convert makes a notebook file of nbformat 4.4 of one of nbformat 1 to 3, as Jupyter
// would (nbformat/v4/convert.py, upgrade). 4.4 is the newest without cell ids: converting
// a file twice gives the same bytes.
func (f *File) convert() []byte {
	v := rawjson.Value(f.data[f.top.open : f.top.close+1])
	cells := []byte{'['}
	for i, c := range oldCells(v) {
		if i > 0 {
			cells = append(cells, ',')
		}
		cells = append(cells, oldCell(c)...)
	}
	nb := object4(map[string]rawjson.Value{
		"cells": append(cells, ']'), "metadata": f.oldMetadata(),
		"nbformat": rawjson.Value("4"), "nbformat_minor": rawjson.Value("4"),
	})
	var b bytes.Buffer
	w := newWriter(&b, func() bool { return escapes(f.data) })
	w.value(nb, layout{nl: "\n", unit: " ", comma: ", ", colon: ": "}, false)
	w.str("\n")
	_ = w.flush() // a buffer takes all
	return b.Bytes()
}

// oldCells lists the cells of all worksheets; nbformat 1 has none of those.
func oldCells(v rawjson.Value) []rawjson.Value {
	sheets := v.Get("worksheets")
	if sheets == nil {
		return v.Get("cells").Elements()
	}
	var out []rawjson.Value
	for _, sheet := range sheets.Elements() {
		out = append(out, sheet.Get("cells").Elements()...)
	}
	return out
}

func members(v rawjson.Value) map[string]rawjson.Value {
	m := map[string]rawjson.Value{}
	v.Members(func(k string, val rawjson.Value) { m[k] = val })
	return m
}

// oldMetadata keeps all but the name, which is the file's in nbformat 4, and the signature.
func (f *File) oldMetadata() rawjson.Value {
	m := members(f.metadata)
	delete(m, "name")
	delete(m, "signature")
	return object4(m)
}

func oldCell(v rawjson.Value) rawjson.Value {
	m := members(v)
	typ := m["cell_type"].Str()
	c := map[string]rawjson.Value{"cell_type": rawjson.Quote(typ), "metadata": m["metadata"], "source": first(m, "source", "input", "code", "text")}
	if c["metadata"].Kind() != rawjson.Object {
		c["metadata"] = rawjson.Value("{}")
	}
	switch typ {
	case "code":
		c["source"] = first(m, "input", "code", "source")
		count, counted := m["prompt_number"].Int()
		c["execution_count"] = rawjson.Value("null")
		if counted {
			c["execution_count"] = rawjson.Value(itoa(count))
		}
		c["outputs"] = oldOutputs(m["outputs"], count)
		if m["collapsed"] != nil {
			meta := members(c["metadata"])
			meta["collapsed"] = m["collapsed"]
			c["metadata"] = object4(meta)
		}
	case "heading":
		level, _ := m["level"].Int()
		text := strings.Repeat("#", min(max(level, 1), 6)) + " " + strings.Join(strings.Fields(sourceText(c["source"])), " ")
		c["cell_type"], c["source"] = rawjson.Quote("markdown"), rawjson.Quote(text)
	case "markdown":
	case "text", "html":
		c["cell_type"] = rawjson.Quote("markdown")
	default:
		c["cell_type"] = rawjson.Quote("raw")
	}
	if c["source"].Kind() != rawjson.Array {
		c["source"] = oldLines(sourceText(c["source"]))
	}
	return object4(c)
}

// oldLines is text as nbformat 4 keeps it: a list of lines.
func oldLines(text string) rawjson.Value {
	b := []byte{'['}
	for line := range strings.Lines(text) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, rawjson.Quote(line)...)
	}
	return append(b, ']')
}

func first(m map[string]rawjson.Value, names ...string) rawjson.Value {
	for _, n := range names {
		if m[n] != nil {
			return m[n]
		}
	}
	return nil
}

func oldOutputs(v rawjson.Value, count int) rawjson.Value {
	b := []byte{'['}
	for i, o := range v.Elements() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, oldOutput(o, count)...)
	}
	return append(b, ']')
}

// oldType is the MIME type for nbformat 3's name of it. Other names are kept.
func oldType(name string) string {
	switch name {
	case "text":
		return "text/plain"
	case "html", "latex":
		return "text/" + name
	case "png", "jpeg":
		return "image/" + name
	case "svg":
		return "image/svg+xml"
	case "json", "javascript":
		return "application/" + name
	}
	return name
}

func oldOutput(v rawjson.Value, count int) rawjson.Value {
	m := members(v)
	switch typ := m["output_type"].Str(); typ {
	case "pyout", "display_data":
		return oldData(m, typ == "pyout", count)
	case "pyerr":
		o := map[string]rawjson.Value{
			"output_type": rawjson.Quote("error"), "ename": rawjson.Value(`""`), "evalue": rawjson.Value(`""`), "traceback": rawjson.Value("[]"),
		}
		for _, k := range []string{"ename", "evalue", "traceback"} {
			if m[k] != nil {
				o[k] = m[k]
			}
		}
		return object4(o)
	case "stream":
		o := map[string]rawjson.Value{"output_type": rawjson.Quote("stream"), "name": rawjson.Quote("stdout"), "text": rawjson.Value("[]")}
		if name := first(m, "stream", "name"); name != nil {
			o["name"] = name
		}
		if m["text"] != nil {
			o["text"] = m["text"]
		}
		return object4(o)
	}
	return v
}

// oldData makes a MIME bundle of an output whose types were members of it.
func oldData(m map[string]rawjson.Value, result bool, count int) rawjson.Value {
	data, meta := map[string]rawjson.Value{}, map[string]rawjson.Value{}
	for k, val := range m {
		switch k {
		case "output_type", "prompt_number", "metadata":
		case "json":
			data[oldType(k)] = unpacked(val)
		default:
			data[oldType(k)] = val
		}
	}
	for k, val := range members(m["metadata"]) {
		meta[oldType(k)] = val
	}
	o := map[string]rawjson.Value{"output_type": rawjson.Quote("display_data"), "data": object4(data), "metadata": object4(meta)}
	if result {
		if n, ok := m["prompt_number"].Int(); ok {
			count = n
		}
		o["output_type"], o["execution_count"] = rawjson.Quote("execute_result"), rawjson.Value(itoa(count))
	}
	return object4(o)
}

// unpacked is the JSON that older formats keep as text.
func unpacked(v rawjson.Value) rawjson.Value {
	if val, err := rawjson.Parse([]byte(mime.JoinText(v))); err == nil {
		return val
	}
	return v
}

func object4(m map[string]rawjson.Value) rawjson.Value {
	b := []byte{'{'}
	for i, k := range sortedKeys(m) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, rawjson.Quote(k)...), ':'), m[k]...)
	}
	return append(b, '}')
}

// adoptOld makes f the converted file. f stays as it is where that cannot be read.
func (f *File) adoptOld() error {
	g, err := Parse(f.convert())
	if err != nil {
		return notNotebook(fmt.Sprintf("its nbformat %d cannot be converted: %v", f.major, err))
	}
	from := f.major
	*f = *g
	f.from = from
	return nil
}
