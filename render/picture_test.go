package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/themes"
)

// square is the PNG of case B25: 8x8, of one colour.
const square = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQaDiAFTEMLQkAOsZYAYJCUNYAAAAASUVORK5CYII="

func TestPictures(t *testing.T) {
	pngText, pngSize := pictureText(t, "image/png")
	jpegText, jpegSize := pictureText(t, "image/jpeg")
	for _, c := range []struct {
		data        *mime.Data
		width, high int
		want        string
	}{
		{bundle("image/png", pngText, "text/plain", "<Figure>"), 80, 25, "[image/png 640x480, " + pngSize + "]"},
		{bundle("image/jpeg", jpegText), 80, 25, "[image/jpeg 640x480, " + jpegSize + "]"},
		{bundle("image/svg+xml", "<svg/>", "image/png", square), 80, 5, "[image/png 8x8, 74 B]"},
		{bundle("image/png", square), 80, 5, "[image/png 8x8, 74 B]"},
		{bundle("image/png", square), 4, 8, "[ima"},
	} {
		b := Output(c.data, themes.Dark())
		got := b.Lines(c.width, 0, 99)
		check(t, got, c.width)
		if len(got) != c.high || b.Height(c.width) != c.high || lines(b, c.width)[0] != c.want {
			t.Errorf("%s: %d lines, height %d, %q", c.want, len(got), b.Height(c.width), got[0])
		}
		if last := got[len(got)-1]; !strings.Contains(last, "\x1b[48;2;") {
			t.Errorf("%s: not drawn: %q", c.want, last)
		}
		if part := b.Lines(c.width, 2, 2); len(part) != 2 || part[0] != got[2] {
			t.Errorf("%s: a part of it is %q", c.want, part)
		}
		if all := strings.Join(got, ""); strings.Contains(all, "AAAA") || strings.Contains(all, "<Figure>") {
			t.Errorf("%s: text is drawn", c.want)
		}
	}
}

// header makes a PNG's text that says a size and has nothing else.
func header(t *testing.T, width, height uint32) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	p := b.Bytes()
	for i := range 4 {
		p[16+i], p[20+i] = byte(width>>(24-8*i)), byte(height>>(24-8*i))
	}
	sum := crc32.ChecksumIEEE(p[12:29])
	for i := range 4 {
		p[29+i] = byte(sum >> (24 - 8*i))
	}
	return base64.StdEncoding.EncodeToString(p)
}

// TestPicturesThatAreOnlyNamed never decodes, or cannot.
func TestPicturesThatAreOnlyNamed(t *testing.T) {
	for name, text := range map[string]string{
		"huge":      header(t, 10_000, 10_000),
		"long":      header(t, 1, 1_000_000),
		"broken":    square[:60],
		"no base64": "not base64!",
		"other":     header(t, 4, 4),
	} {
		b := Output(bundle("image/png", text, "text/plain", "<Figure>"), themes.Dark())
		b.Lines(80, 0, 99)
		got := lines(b, 80)
		if len(got) != 2 || !strings.HasPrefix(got[0], "[image/png") || got[1] != "<Figure>" {
			t.Errorf("%s: %q", name, got)
		}
	}
	off := &Pictures{Off: true}
	got := OutputsWith([]mime.Output{{Body: bundle("image/png", square)}}, themes.Dark(), off)
	is(t, "off", lines(got[0], 80), "[image/png 8x8, 74 B]")
}

func TestPicturesDecodedElsewhere(t *testing.T) {
	var pictures Pictures
	good, bad := header(t, 2, 2), header(t, 4, 4)
	blocks := OutputsWith([]mime.Output{{Body: bundle("image/png", good)}, {Body: bundle("image/png", bad)}}, themes.Dark(), &pictures)
	for _, b := range blocks {
		b.Height(80)
	}
	if work := pictures.Take(); len(work) != 0 {
		t.Fatalf("%d pictures are decoded for their height", len(work))
	}
	for range 2 {
		is(t, "waiting", lines(blocks[0], 80), "[image/png 2x2, 75 B]", "")
	}
	is(t, "waiting", lines(blocks[1], 80)[1:], "", "")
	work := pictures.Take()
	if len(work) != 2 || len(pictures.Take()) != 0 {
		t.Fatalf("%d pictures wait", len(work))
	}
	work[0].Do()
	work[1].Do()
	lines(blocks[1], 3) // the width changes meanwhile
	if work[0].Done() || work[1].Done() {
		t.Error("the height changed")
	}
	is(t, "drawn", lines(blocks[0], 80)[1:], "  ")
	work = pictures.Take()
	work[0].Do()
	if !work[0].Done() {
		t.Error("the height of what cannot be decoded did not change")
	}
	is(t, "failed", lines(blocks[1], 80), "[image/png 4x4, 75 B]")
}

func TestTransparentPictures(t *testing.T) {
	var b bytes.Buffer
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	img.Set(2, 1, color.NRGBA{R: 1, G: 2, B: 3, A: 255})
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	d := bundle("image/png", base64.StdEncoding.EncodeToString(b.Bytes()))
	for needs, want := range map[string]string{
		"":      "  ␛[38;2;1;2;3m▄␛[m",
		"light": "␛[48;2;255;255;255m  ␛[38;2;255;255;255;48;2;1;2;3m▀␛[m",
		"dark":  "␛[48;2;0;0;0m  ␛[38;2;0;0;0;48;2;1;2;3m▀␛[m",
	} {
		d.Metadata = rawjson.Value(`{"image/png":{"needs_background":"` + needs + `"}}`)
		got := Output(d, themes.Dark()).Lines(80, 1, 1)[0]
		if got = strings.ReplaceAll(got, "\x1b", "␛"); got != want {
			t.Errorf("%q: %q, want %q", needs, got, want)
		}
	}
}

func TestShowDrawsPictures(t *testing.T) {
	cells := []Cell{{Type: "code", Outputs: []mime.Output{{Body: bundle("image/png", square, "text/plain", "<Figure>")}}}}
	opt := ShowOptions{Color: true, Theme: themes.Dark()}
	if got := show(t, cells, opt); !strings.Contains(got, "[image/png 8x8, 74 B]") || strings.Count(got, "48;2;") != 4 || strings.Contains(got, "<Figure>") {
		t.Errorf("in colour: %q", got)
	}
	opt.NoPictures = true
	if got := show(t, cells, opt); strings.Contains(got, "48;2;") || !strings.Contains(got, "<Figure>") {
		t.Errorf("without pictures: %q", got)
	}
}

// TestRichGolden draws one output of each kind that is not text.
func TestRichGolden(t *testing.T) {
	var members []string
	for i := range 70 {
		members = append(members, fmt.Sprintf(`"key %d": {"list": [1, 2, 3], "text": "some words that fill a line or more"}`, i))
	}
	outs := []mime.Output{
		{Body: bundle("image/png", square, "text/plain", "<Figure>")},
		{Body: bundle("image/svg+xml", "<svg><text>\x1b]0;x\x07</text></svg>", "text/plain", "<Figure>")},
		{Body: bundle("text/latex", `$\displaystyle \int_{0}^{1} \frac{x^{2}}{2}\, dx = \frac{1}{6}$`)},
		{Body: bundle("text/latex", `\begin{tikzpicture}\draw (0,0);\end{tikzpicture}`)},
		{Body: bundle("application/json", "{"+strings.Join(members[:2], ",")+"}")},
		{Body: bundle("application/json", "{"+strings.Join(members, ",")+"}")},
		{Body: bundle("text/html", "<h1>Title</h1><p>one&#27;[2J<ul><li>two<li>three</ul>")},
		{Body: bundle("application/x-own", "AAAA", "text/plain", "words")},
	}
	for _, width := range []int{80, 20} {
		var all []string
		for _, b := range Outputs(outs, themes.Dark()) {
			drawn := b.Lines(width, 0, b.Height(width))
			check(t, drawn, width)
			all = append(all, drawn...)
		}
		golden(t, fmt.Sprintf("rich-%d", width), strings.Join(all, "\n")+"\n")
	}
}
