package wire_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// captures are streams that the genuine code interpreter sent.
func captures(t testing.TB) map[string][]byte {
	t.Helper()
	files, _ := filepath.Glob("testdata/*.ndjson")
	if len(files) < 76 {
		t.Fatalf("only %d captures", len(files))
	}
	all := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".ndjson")] = data
	}
	return all
}

func read(t testing.TB, r io.Reader) (lines []wire.Line) {
	t.Helper()
	for reader := wire.NewReader(r); ; {
		l, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}

// What is read and written again is the same bytes, through a notebook's outputs too.
func TestCapturesComeBackByteForByte(t *testing.T) {
	for name, data := range captures(t) {
		var out, noted []byte
		for _, l := range read(t, bytes.NewReader(data)) {
			out = l.AppendLine(out)
			if r, ok := l.(wire.Result); ok {
				b := r.Bundle()
				for _, e := range b {
					if k := e.Value.Kind(); !mime.IsJSON(e.Type) && k != rawjson.String && k != rawjson.Array {
						t.Errorf("%s: nbformat has no %s for %s", name, e.Value, e.Type)
					}
				}
				l = wire.ResultOf(b, r.Main)
			}
			noted = l.AppendLine(noted)
		}
		if !bytes.Equal(out, data) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, out, data)
		}
		if !bytes.Equal(noted, data) {
			t.Errorf("%s through a notebook:\ngot  %s\nwant %s", name, noted, data)
		}
	}
}

// cut hands out a text in two reads.
type cut struct{ a, b []byte }

func (c *cut) Read(p []byte) (int, error) {
	if len(c.a) == 0 {
		c.a, c.b = c.b, nil
	}
	if len(c.a) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.a)
	c.a = c.a[n:]
	return n, nil
}

func TestCapturesCutAtEveryByte(t *testing.T) {
	for name, data := range captures(t) {
		want := read(t, bytes.NewReader(data))
		if got := read(t, iotest.OneByteReader(bytes.NewReader(data))); !reflect.DeepEqual(got, want) {
			t.Errorf("%s cut at every byte: %v", name, got)
		}
		if len(data) > 250 {
			continue // the others show it too, and this takes the square of the length
		}
		for i := range data {
			if got := read(t, &cut{data[:i], data[i:]}); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s cut at %d: %v", name, i, got)
			}
		}
	}
}

func TestStreamThatBreaksOff(t *testing.T) {
	const whole = `{"type": "stdout", "text": "a"}`
	for text, want := range map[string]struct {
		lines int
		err   error // nil: a line that cannot be read
	}{
		whole:                             {1, io.EOF},
		whole + "\n":                      {1, io.EOF},
		"\n\n" + whole + "\r\n":           {1, io.EOF},
		whole + "\n" + whole[:20]:         {1, io.ErrUnexpectedEOF},
		"":                                {0, io.EOF},
		whole + "\n[1]\n":                 {1, nil},
		"<html>\n<body>Bad Gateway</body": {0, nil},
	} {
		r := wire.NewReader(strings.NewReader(text))
		n := 0
		var err error
		for ; ; n++ {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		var bad *wire.BadLineError
		ok := errors.Is(err, want.err)
		if want.err == nil {
			ok = errors.As(err, &bad)
		}
		if n != want.lines || !ok {
			t.Errorf("%q: %d lines, %v", text, n, err)
		}
	}
}

func TestLongLine(t *testing.T) {
	png := strings.Repeat("QUJD", 1<<20)
	l := wire.Result{PNG: rawjson.Quote(png), Main: true}.AppendLine(nil)
	got := read(t, bytes.NewReader(l))
	if r, ok := got[0].(wire.Result); len(got) != 1 || !ok || r.PNG.Str() != png {
		t.Errorf("%d lines", len(got))
	}
}

func TestUnknownIsKept(t *testing.T) {
	const line = `{"type": "progress", "done": 3.0, "é": [null]}`
	got := read(t, strings.NewReader(line))
	if u, ok := got[0].(wire.Unknown); !ok || u.Type != "progress" || string(u.Raw) != line {
		t.Errorf("%#v", got)
	}
	r := read(t, strings.NewReader(`{"type":"result","text":null,"video":"AAAA","data":{"a":[1]},"html":{"a":1},"is_main_result":true}`))[0].(wire.Result)
	b := r.Bundle()
	if r.Text != nil || b.Get("e2b/video").Str() != "AAAA" || !r.Main {
		t.Errorf("%+v", r)
	}
	if got := string(b.Get("application/vnd.e2b.extra+json")); got != `{"text/html":{"a":1}}` {
		t.Errorf("an object for text/html: %s", got)
	}
	back := wire.ResultOf(b, true)
	if string(back.HTML) != `{"a":1}` || string(back.Data) != `{"a":[1]}` || back.Extra.Get("e2b/video").Str() != "AAAA" {
		t.Errorf("back: %+v", back)
	}
	if got := back.Formats(); !slices.Equal(got, []string{"html", "data", "e2b/video"}) {
		t.Errorf("%v", got)
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-11-30T11:23:01.076978+00:00": time.Date(2026, 11, 30, 11, 23, 1, 76978000, time.UTC),
		"2026-11-30T11:23:01+00:00":        time.Date(2026, 11, 30, 11, 23, 1, 0, time.UTC),
		"2026-11-30T11:23:01Z":             time.Date(2026, 11, 30, 11, 23, 1, 0, time.UTC),
		"2026-11-30T12:23:01.5":            time.Date(2026, 11, 30, 12, 23, 1, 5e8, time.UTC),
		"yesterday":                        {},
	} {
		o := read(t, strings.NewReader(`{"type":"stderr","text":"","timestamp":"`+text+`"}`))[0].(wire.Output)
		if !o.Time.Equal(want) {
			t.Errorf("%s is %s", text, o.Time)
		}
		if back := string(o.AppendLine(nil)); strings.HasSuffix(text, "+00:00") && !strings.Contains(back, `"timestamp": "`+text+`"`) {
			t.Errorf("%s comes back as %s", text, back)
		}
	}
}

// Everything that a stream holds is ASCII: clients decode its pieces one by one.
func TestASCIIAlone(t *testing.T) {
	odd := "é😀\u2028\u0085\x7f\t\"\\"
	for _, l := range []wire.Line{
		wire.Output{Name: "stdout", Text: odd},
		wire.Error{Name: odd, Value: odd},
		wire.Result{
			Text: rawjson.Quote(odd), JSON: rawjson.Value("{ \"é\u2028\" : [1,\n 2.0, 12345678901234567890, \"a\\/b\\u00e9\"] }"),
			Extra: mime.Bundle{{Type: "x/é", Value: rawjson.Quote(odd)}},
		},
	} {
		out := l.AppendLine(nil)
		if i := bytes.IndexFunc(out[:len(out)-1], func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 || out[len(out)-1] != '\n' {
			t.Errorf("byte %d of %q", i, out)
		}
		again := read(t, bytes.NewReader(out))[0]
		if r, ok := again.(wire.Result); ok {
			if r.Text.Str() != odd || string(r.JSON) != `{"\u00e9\u2028": [1, 2.0, 12345678901234567890, "a/b\u00e9"]}` {
				t.Errorf("%s", r.JSON)
			}
			continue
		}
		if !reflect.DeepEqual(again, l) {
			t.Errorf("got %#v", again)
		}
	}
}

func TestUnquoted(t *testing.T) {
	for text, want := range map[string]string{`'a'`: `a`, `"a'b"`: `a'b`, `'`: ``, `'a"`: `'a"`, ``: ``, `''`: ``, `a`: `a`, `'a\nb'`: `a\nb`} {
		if got := wire.Unquoted(text); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestEncode(t *testing.T) {
	got, err := wire.Encode(wire.Execution{Code: "a<b", EnvVars: map[string]string{"K": "V"}})
	if err != nil || string(got) != `{"code":"a<b","env_vars":{"K":"V"}}` {
		t.Errorf("%s %v", got, err)
	}
	for in, want := range map[string]string{"": "python", " JS ": "javascript", "ts": "typescript", "R": "r"} {
		if got := wire.Language(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func chartOf(t *testing.T, name string) wire.Chart {
	t.Helper()
	for _, l := range read(t, bytes.NewReader(captures(t)[name])) {
		if r, ok := l.(wire.Result); ok {
			if c, ok := wire.ParseChart(r.Chart); ok {
				return c
			}
		}
	}
	t.Fatalf("%s has no chart", name)
	return wire.Chart{}
}

func TestCharts(t *testing.T) {
	line := chartOf(t, "chart_line")
	if line.Type != wire.LineChart || line.X.Unit != "s" || line.Y.Label != "Amp [Hz]" || len(line.Series) == 0 ||
		line.Series[0].Points[0] != [2]wire.Scalar{{Number: 1}, {Number: 4}} || line.X.Scale != "linear" || len(line.X.Ticks) != len(line.X.TickLabels) {
		t.Errorf("line %+v", line)
	}
	if c := chartOf(t, "chart_line_datetime"); c.Series[0].Points[0][0].Text == "" || c.X.Scale != "datetime" {
		t.Errorf("dates %+v", c)
	}
	if c := chartOf(t, "chart_scatter"); c.Type != wire.ScatterChart || len(c.Series[0].Points) != 2 {
		t.Errorf("scatter %+v", c)
	}
	if c := chartOf(t, "chart_bar"); c.Type != wire.BarChart || c.Bars[0].Value.Number != 100 || c.Bars[0].Group != "Sold" {
		t.Errorf("bar %+v", c)
	}
	if c := chartOf(t, "chart_pie"); c.Type != wire.PieChart || c.Slices[0] != (wire.Slice{Label: "No", Angle: 324, Radius: 1}) {
		t.Errorf("pie %+v", c)
	}
	if c := chartOf(t, "chart_box"); c.Type != wire.BoxChart || c.Boxes[0].Median == 0 || c.Y.Label == "" {
		t.Errorf("box %+v", c)
	}
	if c := chartOf(t, "chart_superchart"); c.Type != wire.SuperChart || len(c.Charts) != 2 || c.Charts[1].Type != wire.ScatterChart {
		t.Errorf("superchart %+v", c)
	}
	if c := chartOf(t, "chart_unknown"); c.Type != wire.UnknownChart {
		t.Errorf("unknown %+v", c)
	}
}

func TestChartsOfAllKinds(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `[]`: false, `"x"`: false, `{"type":7}`: false,
		`{"type":"radar","elements":[{"a":1}]}`:                         true,
		`{"type":"line"}`:                                               true,
		`{"type":"line","elements":[7,{"points":[[1],7,[1,null]]}]}`:    true,
		`{"type":"superchart","elements":[{},{"type":"pie"}]}`:          true,
		`{"type":"bar","elements":[{"label":3,"value":"x"}],"title":3}`: true,
	} {
		v, err := rawjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := wire.ParseChart(v); ok != want || ok && string(c.Raw) != text {
			t.Errorf("%s: %v %+v", text, ok, c)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"type": "result", "text": "t", "chart": {"type":"line"}, "extra": {"a/b": 1}, "is_main_result": false}`))
	f.Add([]byte(`{"type": "stdout", "text": "\ud83d", "timestamp": "2026-11-30T11:23:01+00:00"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := wire.ParseLine(text)
		if err != nil {
			return
		}
		out := l.AppendLine(nil)
		again, err := wire.ParseLine(out)
		if err != nil || bytes.IndexByte(out, '\n') != len(out)-1 {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		if twice := again.AppendLine(nil); !bytes.Equal(twice, out) {
			t.Errorf("%q, then %q", out, twice)
		}
	})
}
