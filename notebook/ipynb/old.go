package ipynb

import (
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// oldCells shows the cells of nbformat 1 to 3 as nbformat 4 would have them
// (nbformat/v4/convert.py, upgrade). They are only looked at, never written.
func (f *File) oldCells() []Cell {
	v := rawjson.Value(f.data[f.top.open : f.top.close+1])
	var out []Cell
	sheets := v.Get("worksheets")
	if sheets == nil {
		for _, c := range v.Get("cells").Elements() { // nbformat 1
			out = append(out, oldCell(c))
		}
		return out
	}
	for _, sheet := range sheets.Elements() {
		for _, c := range sheet.Get("cells").Elements() {
			out = append(out, oldCell(c))
		}
	}
	return out
}

func oldCell(v rawjson.Value) Cell {
	m := map[string]rawjson.Value{}
	v.Members(func(k string, val rawjson.Value) { m[k] = val })
	c := Cell{Type: m["cell_type"].Str(), Metadata: m["metadata"], Source: first(m, "source", "input", "code", "text")}
	switch c.Type {
	case "code":
		c.Source = first(m, "input", "code", "source")
		c.Count, _ = m["prompt_number"].Int()
		c.Outputs = oldOutputs(m["outputs"], c.Count)
	case "heading":
		level, _ := m["level"].Int()
		text := strings.Repeat("#", min(max(level, 1), 6)) + " " + strings.Join(strings.Fields(mime.JoinText(c.Source)), " ")
		c.Type, c.Source = "markdown", rawjson.Quote(text)
	case "text", "html":
		c.Type = "markdown"
	}
	return c
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

// oldTypes are nbformat 3's names of what nbformat 4 calls by MIME types.
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
	return ""
}

func oldOutput(v rawjson.Value, count int) rawjson.Value {
	m := map[string]rawjson.Value{}
	v.Members(func(k string, val rawjson.Value) { m[k] = val })
	switch typ := m["output_type"].Str(); typ {
	case "pyout", "display_data":
		data := map[string]rawjson.Value{}
		for k, val := range m {
			if t := oldType(k); t != "" {
				data[t] = val
			}
		}
		o := map[string]rawjson.Value{"output_type": rawjson.Quote("display_data"), "data": object4(data), "metadata": rawjson.Value("{}")}
		if typ == "pyout" {
			if n, ok := m["prompt_number"].Int(); ok {
				count = n
			}
			o["output_type"], o["execution_count"] = rawjson.Quote("execute_result"), rawjson.Value(itoa(count))
		}
		return object4(o)
	case "pyerr":
		o := map[string]rawjson.Value{"output_type": rawjson.Quote("error")}
		for _, k := range []string{"ename", "evalue", "traceback"} {
			if m[k] != nil {
				o[k] = m[k]
			}
		}
		return object4(o)
	case "stream":
		o := map[string]rawjson.Value{"output_type": rawjson.Quote("stream"), "name": rawjson.Quote("stdout")}
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
