package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/themes"
)

// TestStreams holds what programs print and what must be seen of it.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"B01", "step 10 of 10\rdone", []string{"done 10 of 10"}},
		{"B02", "a\r\r\nb\r\nc\n", []string{"a", "b", "c"}},
		{"B32", "\x1b[38;2;255;100;0mwarm\x1b[0m \x1b[1;4mBU\x1b[0m \x1b[31mred and never closed\n", []string{"warm BU red and never closed"}},
	} {
		for _, th := range allThemes {
			b := Output(stdout(c.text), th)
			is(t, c.name, lines(b, 80), c.want...)
			check(t, b.Lines(80, 0, 9), 80)
		}
	}
}

// TestStderr is case B26: order stays, and stderr can be told without colour.
func TestStderr(t *testing.T) {
	stderr := func(s string) mime.Output {
		return mime.Output{Body: &mime.Stream{Name: "stderr", Text: mime.TextOf(s)}}
	}
	outs := []mime.Output{{Body: stdout("a\n")}, stderr("b\n"), {Body: stdout("c\n")}, stderr("WARNING:root:d\n")}
	got := lines(stack(Outputs(outs, themes.NoColor())), 80)
	is(t, "outputs", got, "a", "┆ b", "c", "┆ WARNING:root:d")
}

func TestStreamFollows(t *testing.T) {
	text := mime.NewText(nil)
	b := NewStream(text, false, themes.Dark())
	is(t, "empty", lines(b, 80))
	text.Append("10%\r")
	is(t, "started", lines(b, 80), "10%")
	text.Append("99%\nnext")
	is(t, "went on", lines(b, 80), "99%", "next")
	for i := range 40_000 {
		text.Append(fmt.Sprintln("line", i))
		if text.Shorten(150<<10, 300<<10); i%1000 == 0 {
			b.Height(80)
		}
	}
	got := lines(b, 80)
	for range 5 { // a little more each time, as a flood comes
		text.Append("more\n")
		got = lines(b, 80)
	}
	if got[len(got)-5] != "more" || got[len(got)-6] != "line 39999" {
		t.Errorf("a little more: %q", got[len(got)-6:])
	}
	if n := len(got); n > 60_000 {
		t.Errorf("%d lines are held", n)
	}
	got = got[:len(got)-5]
	if text.Dropped() == 0 || got[len(got)-1] != "line 39999" || !strings.Contains(strings.Join(got, "\n"), "bytes of output left out") {
		t.Errorf("after the limit: %d lines, last %q", len(got), got[len(got)-1])
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  mime.Error
		want []string
	}{
		{mime.Error{Name: "SyntaxFailure", Value: "bad token"}, []string{"▌ SyntaxFailure: bad token"}},
		{mime.Error{Name: "number", Value: "3", Traceback: []string{"line one\nline two"}}, []string{"▌ line one", "▌ line two"}},
		{mime.Error{Traceback: []string{"\x1b[0;31mBoom\x1b[0m: colored"}}, []string{"▌ Boom: colored"}},
		{mime.Error{Traceback: []string{" ", "\x1b[0m"}}, []string{"▌ error"}},
		{
			mime.Error{Traceback: []string{"\x1b[31m" + strings.Repeat("-", 75) + "\x1b[0m", "NameError" + strings.Repeat(" ", 33) + "Traceback (most recent call last)"}},
			[]string{"▌ " + strings.Repeat("-", 40), "▌ NameError  Traceback (most recent call last)"},
		},
		{mime.Error{Name: "KeyboardInterrupt"}, []string{"▌ KeyboardInterrupt"}},
		{mime.Error{Name: "Bad\x1b]0;E\x07", Value: "v\x1bc"}, []string{"▌ Bad: v"}},
	} {
		is(t, c.err.Name, lines(Output(&c.err, themes.Dark()), 80), c.want...)
	}
}

func bundle(pairs ...string) *mime.Data {
	var d mime.Data
	for i := 0; i < len(pairs); i += 2 {
		v := rawjson.Quote(pairs[i+1])
		if mime.IsJSON(pairs[i]) {
			v = rawjson.Value(pairs[i+1])
		}
		d.Bundle = append(d.Bundle, mime.Entry{Type: pairs[i], Value: v})
	}
	return &d
}

// pictureText returns a picture in base64 and its size in words.
func pictureText(t *testing.T, typ string) (text, size string) {
	t.Helper()
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	err := png.Encode(&b, img)
	if typ == "image/jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := base64.StdEncoding.EncodeToString(b.Bytes())
	return s[:40] + "\n" + s[40:] + "\n", ByteSize(int64(b.Len()))
}

func TestData(t *testing.T) {
	pngText, pngSize := pictureText(t, "image/png")
	jpegText, jpegSize := pictureText(t, "image/jpeg")
	object := "<IPython.core.display.Object object>"
	for _, c := range []struct {
		data *mime.Data
		want []string
	}{
		{bundle("text/plain", "42"), []string{"42"}},
		{bundle("text/html", "<b>x</b>", "text/plain", "x"), []string{"x"}},
		{bundle("text/html", "<b>x</b>"), []string{"x"}},
		{bundle("text/markdown", "*a*", "text/plain", object), []string{"a"}},
		{bundle("text/latex", "$x^2$", "text/plain", object), []string{"x²"}},
		{bundle("text/latex", "$\\foo$\n\n", "text/plain", object), []string{"$\\foo$"}},
		{bundle("text/latex", "$x\x1b]0;t\x07\u009b2J$"), []string{"x"}},
		{bundle("text/latex", "$x^2$", "text/plain", "x**2"), []string{"x**2"}},
		{bundle("application/json", `{"a":1.50}`, "text/plain", object), []string{`{"a":1.50}`}},
		{bundle("image/svg+xml", "<svg/>", "text/plain", "fig"), []string{"[image/svg+xml, 6 B]", "fig"}},
		{bundle("image/png", pngText, "text/plain", "<Figure>"), []string{"[image/png 640x480, " + pngSize + "]", "<Figure>"}},
		{bundle("image/jpeg", jpegText), []string{"[image/jpeg 640x480, " + jpegSize + "]"}},
		{bundle("image/png", "not base64!"), []string{"[image/png, 8 B]"}},
		{bundle("application/vnd.x+json", `{"a": 1}`, "text/plain", "widget"), []string{"[application/vnd.x+json, 8 B]", "widget"}},
		{bundle("text/plain", "frame", "application/vnd.e2b.data+json", `{"a": [1]}`), []string{"frame"}},
		{bundle("application/vnd.e2b.chart+json", `{"a": 1}`), []string{"[application/vnd.e2b.chart+json, 8 B]"}},
		{bundle("text/plain", object), []string{object}},
		{bundle("a\x1bc/b\nc", "x"), []string{"[a/b c, 1 B]"}},
		{bundle(), []string{"[empty output]"}},
	} {
		is(t, strings.Join(c.want, "|"), lines(Output(c.data, themes.NoColor()), 80), c.want...)
	}
	is(t, "nothing", lines(Output(nil, themes.Dark()), 80))
	is(t, "unknown", lines(Output(&mime.Unknown{Type: "x"}, themes.Dark()), 80), `[unknown output "x"]`)
}

func TestPrettyJSON(t *testing.T) {
	long := strings.Repeat("x", 60)
	got := prettyJSON(rawjson.Value(`{"k":[1.0,{"n":NaN}],"s":"` + long + `"}`))
	is(t, "json", strings.Split(got, "\n"), "{", `  "k": [1.0,{"n":NaN}],`, `  "s": "`+long+`"`, "}")
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if got := prettyJSON(rawjson.Value(deep)); strings.Count(got, "[") != 5000 || len(got) > 100_000 {
		t.Errorf("a deep value became %d bytes", len(got))
	}
}

func TestFolded(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintln(&text, i)
	}
	b := Folded(Output(stdout(text.String()), themes.Dark()), 3, 2, themes.Dark())
	is(t, "all", lines(b, 80), "0", "1", "2", "… 95 lines …", "98", "99")
	for from := range 6 {
		for n := range 7 {
			got, whole := b.Lines(80, from, n), b.Lines(80, 0, 9)
			want := whole[from:min(from+n, len(whole))]
			is(t, fmt.Sprint("from ", from, " n ", n), got, want...)
		}
	}
	short := Folded(Output(stdout("a\nb\nc"), themes.Dark()), 1, 1, themes.Dark())
	is(t, "short", lines(short, 80), "a", "b", "c")
}

func TestSource(t *testing.T) {
	b := Source("def f():\n\treturn '''a\nb'''\n\n# "+strings.Repeat("x", 30)+"\n", "python", themes.Dark())
	is(t, "lines", lines(b, 20), "def f():", "    return '''a", "b'''", "", "# "+strings.Repeat("x", 18), strings.Repeat("x", 12), "")
	check(t, b.Lines(20, 0, 99), 20)
	whole := b.Lines(20, 0, 99)
	for from := range whole {
		is(t, fmt.Sprint("from ", from), b.Lines(20, from, 2), whole[from:min(from+2, len(whole))]...)
	}
	is(t, "unknown language", lines(Source("x = 1", "zz", themes.Dark()), 20), "x = 1")
}

func TestSanitize(t *testing.T) {
	if got := Sanitize("a\x1b]0;t\x07\nb\x9b\u202e"); got != "a b\ufffd" {
		t.Errorf("%q", got)
	}
}

// TestEstimate asks that a guess draws nothing and comes near.
func TestEstimate(t *testing.T) {
	p := Markdown(strings.Repeat("word ", 1000), themes.Dark()).(*prose)
	if got, want := Estimate(p, 80), 62; got < want/2 || got > want*2 || p.drawn != nil {
		t.Errorf("Markdown: %d, drawn %v", got, p.drawn != nil)
	}
	s := NewStream(mime.TextOf(strings.Repeat("some line\n", 100_000)), false, themes.Dark()).(*stream)
	if got := Estimate(s, 80); got < 10_000 || s.store.Len() != 0 {
		t.Errorf("stream: %d, %d lines read", got, s.store.Len())
	}
}

func FuzzSource(f *testing.F) {
	f.Add("def f():\n\treturn '''\x1b]0;t\x07\n世界'''", "python", uint8(7))
	f.Add("%%html\n<p\t\x00", "python", uint8(1))
	f.Add("/* \u009b\n*/", "c", uint8(3))
	f.Fuzz(func(t *testing.T, text, language string, width uint8) {
		w := int(width)%120 + 1
		b := Source(text, language, themes.Dark())
		got := b.Lines(w, 0, 10_000)
		check(t, got, w)
		if h := b.Height(w); h != len(got) && h < 10_000 {
			t.Errorf("%d lines, height %d", len(got), h)
		}
		whole := strings.Join(got, "\n")
		var pieces []string
		for from := 0; from < len(got); from += 3 {
			pieces = append(pieces, b.Lines(w, from, 3)...)
		}
		if strings.Join(pieces, "\n") != whole {
			t.Errorf("in pieces %q, whole %q", pieces, got)
		}
	})
}

func TestJSONOutlines(t *testing.T) {
	long := strings.Repeat("x", 300)
	var members []string
	for i := range 100 {
		members = append(members, fmt.Sprintf(`"key %d": {"in": ["%s"]}`, i, long[:70]))
	}
	value := `{"text": "` + long + `", "short": [1,
		2, "a \" , b"], "deep": {` + strings.Join(members, ",") + `}}`
	b := Output(bundle("application/json", value), themes.NoColor())
	got := strings.Join(lines(b, 200), "\n")
	for _, want := range []string{`"text": "` + long[:119] + "… 302 B,", `"short": [1, 2, "a \" , b"],`, `"key 39": {… 1 key}`, "… 60 more keys"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	Expand(b, true)
	if got := lines(b, 200); !strings.Contains(strings.Join(got, "\n"), `"key 99": {`) {
		t.Errorf("whole: %d lines", len(got))
	}
	Expand(b, false)
	if again := strings.Join(lines(b, 200), "\n"); again != got {
		t.Error("it does not collapse again")
	}
	Expand(Output(stdout("x"), themes.Dark()), true)
}
