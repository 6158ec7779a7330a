package tui_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// outputs makes a notebook of one cell with these outputs.
func outputs(t *testing.T, bodies ...mime.Body) string {
	t.Helper()
	cell := notebook.NewCell{Type: notebook.Code, Source: "x"}
	for _, b := range bodies {
		cell.Outputs = append(cell.Outputs, mime.Output{Body: b})
	}
	doc := notebook.New()
	first := doc.Cells()[0].Key
	if err := doc.Do("make", notebook.Insert{Cells: []notebook.NewCell{cell}}, notebook.Delete{Keys: []notebook.CellKey{first}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// display makes an output of pairs of a type and a text, or a JSON value for JSON types.
func display(pairs ...string) *mime.Data {
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

func TestWideTables(t *testing.T) {
	html, err := os.ReadFile(filepath.Join("..", "render", "testdata", "html", "cut.html"))
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, setup{file: outputs(t, display("text/html", string(html), "text/plain", "plain"))})
	a.shows("column_0", "columns 1–", "of 21", "1000 rows × 21 columns")
	a.hides("plain")
	a.Type("left")
	a.shows("no table goes on there")
	a.Type("right")
	a.hides("column_0")
	a.shows("column_1", "995", "columns 2–")
	for range 20 {
		a.Type("right")
	}
	a.shows("column_20", "no table goes on there")
	a.Type(",", ",")
	a.shows("plain", "shown as text/plain")
	a.Type("right")
	a.shows("no table goes on there")
}

// square is the PNG of case B25: 8x8, of one colour.
const square = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQaDiAFTEMLQkAOsZYAYJCUNYAAAAASUVORK5CYII="

func TestPictures(t *testing.T) { // B25
	file := outputs(t, display("image/png", square, "text/plain", "<Figure size 80x80>"), display("image/png", square))
	a := open(t, setup{file: file, profile: colorprofile.TrueColor})
	a.shows("[image/png 8x8, 74 B]")
	a.hides("<Figure")
	if n := strings.Count(string(a.Bytes()), "48;2;"); n < 8 {
		t.Errorf("%d lines of pictures are drawn", n)
	}
	for name, s := range map[string]setup{
		"NO_COLOR":   {env: []string{"NO_COLOR=1"}},
		"no colours": {profile: colorprofile.Ascii},
		"off":        {env: []string{"NBTERM_IMAGES=off"}},
	} {
		t.Run(name, func(t *testing.T) {
			s.file = file
			a := open(t, s)
			a.shows("[image/png 8x8, 74 B]", "<Figure size 80x80>")
			a.hides("▀", "AAAA")
		})
	}
}

func TestBrokenPicture(t *testing.T) {
	a := open(t, setup{file: outputs(t, display("image/png", square[:60], "text/plain", "instead"), display("text/plain", "the next"))})
	a.order("[image/png 8x8", "instead", "the next")
	a.Type("j", "k")
	lines := strings.Split(a.Text(), "\n")
	for i, l := range lines {
		if strings.Contains(l, "instead") && !strings.Contains(lines[i+1], "the next") {
			t.Errorf("what was kept for the picture stays empty:\n%s", a.Text())
		}
	}
}

// cells makes a notebook of cells that were run, numbered from 1.
func cells(t *testing.T, all ...notebook.NewCell) string {
	t.Helper()
	doc := notebook.New()
	first := doc.Cells()[0].Key
	for i := range all {
		all[i].Type, all[i].Count = notebook.Code, i+1
	}
	if err := doc.Do("make", notebook.Insert{Cells: all}, notebook.Delete{Keys: []notebook.CellKey{first}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := doc.Snapshot().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoToTheErrorsLine(t *testing.T) {
	long := strings.Repeat("\n", 50)
	define := notebook.NewCell{Source: "def f(x):" + long + "    return 1/x" + long}
	failed := notebook.NewCell{Source: "\nx = 1" + long + "f(0)" + long + "end", Outputs: []mime.Output{{Body: &mime.Error{
		Name:      "ZeroDivisionError",
		Traceback: []string{"Traceback", "\x1b[36mCell In[2]\x1b[39m, line 51\n     50 \n\x1b[32m---> 51 f(0)\x1b[39m\n", "Cell In[1], line 51, in f(x)\n---> 51     return 1/x\n"},
	}}}}
	a := open(t, setup{file: cells(t, define, failed, notebook.NewCell{Source: "fine"})})
	a.Type("j", "G")
	a.Type(":", "go to the error")
	a.hides("[2] line")
	a.Type("esc", "k")
	a.hides("f(0)")
	a.Type(":", "go to the error", "enter")
	a.shows("f(0)", "2/3")
	a.Type("p", "where the error", "enter")
	a.shows("return 1/x", "1/3")
}

func TestPager(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	a := open(t, setup{file: outputs(t, display("text/plain", "small"), &mime.Stream{Name: "stdout", Text: mime.TextOf(text.String())})})
	a.Type(":", "pager")
	a.shows("output 1 of 2", "output 2 of 2", "1000 lines")
	a.Type("down", "enter")
	a.shows("lines 1–19 of 1000", "line 18", "[ ]")
	a.Type("/", "line 777", "enter")
	a.shows("line 777", "line 790")
	a.resize(20, 5)
	a.resize(80, 24)
	a.Type("q")
	a.hides("line 777", "of 1000")
}

func TestLargeJSON(t *testing.T) {
	var items []string
	for i := range 500 {
		items = append(items, `{"number": `+strconv.Itoa(i)+`, "name": "a text that makes it long enough for several lines"}`)
	}
	a := open(t, setup{file: outputs(t, display("application/json", `{"all": [`+strings.Join(items, ",")+`], "last": 1}`)), height: 60, width: 80})
	a.shows(`"all": [`, "{… 2 keys}", "460 more items", `"last": 1`)
	a.hides(`"number"`)
	a.Type("O")
	a.shows(`"number": 3`)
	a.Type("O")
	a.hides(`"number"`)
}

func TestEveryFormOfAnOutput(t *testing.T) {
	a := open(t, setup{file: outputs(t, display(
		"text/html", "<table><tr><th>head<tr><td>cell</table>", "text/latex", "$x^2$", "application/json", `{"k": [1]}`,
		"image/svg+xml", "<svg>"+strings.Repeat(" ", 2000)+"</svg>", "application/x-own", "opaque", "text/plain", "plain words",
	))})
	a.shows("cell")
	for _, want := range []string{`{"k": [1]}`, "[application/x-own, 6 B]", "[image/svg+xml, 2.0 KB]", "cell", "x²", "plain words", "cell"} { // as files sort them
		a.Type(",")
		a.shows(want)
	}
}

func TestKittyGraphics(t *testing.T) {
	const transmission = "\x1b_Gq=2,a=T,U=1,f=100,i=16,c=8,r=4,m=0;" + square + "\x1b\\"
	const place = "\U0010EEEE"
	file := outputs(t, display("image/png", square))
	for _, env := range [][]string{{"NBTERM_IMAGES=kitty"}, {"NBTERM_IMAGES=kitty", "TMUX=/tmp/x,1,0"}} {
		a := open(t, setup{file: file, env: env})
		want := transmission
		if len(env) > 1 {
			want = "\x1bPtmux;" + strings.ReplaceAll(transmission, "\x1b", "\x1b\x1b") + "\x1b\\"
		}
		bytes := string(a.Bytes())
		if n := strings.Count(bytes, place); n < 32 || strings.Count(bytes, want) != 1 || strings.Index(bytes, place) < strings.Index(bytes, want) {
			t.Errorf("%v: %d placeholders in %q", env, n, bytes)
		}
		a.resize(40, 24)
		if strings.Count(string(a.Bytes()), "a=T,") != 1 {
			t.Errorf("%v: at another width that it fits it was sent again", env)
		}
		a.resize(7, 24)
		if b := string(a.Bytes()); !strings.Contains(b, "q=2,a=d,d=I,i=16") || !strings.Contains(b, "i=16,c=6,r=3,") {
			t.Errorf("%v: it was not sent anew for a narrow screen", env)
		}
	}
	for _, few := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.Ascii} {
		a := open(t, setup{file: file, env: []string{"NBTERM_IMAGES=kitty"}, profile: few})
		a.WaitScreen("no placeholders", func(s string) bool { return !strings.Contains(s, place) })
	}
}

func TestKittyIsAskedFor(t *testing.T) {
	file := outputs(t, display("image/png", square))
	a := open(t, setup{file: file, env: []string{"TERM=xterm-kitty"}})
	if !strings.Contains(string(a.Bytes()), "\x1b_Gi=31,") {
		t.Fatalf("the terminal was not asked: %q", a.Bytes())
	}
	a.hides("\U0010EEEE")
	a.Type("\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\", "\x1b_Gi=7;OK\x1b\\")
	a.hides("\U0010EEEE", "OK")
	a.Type("\x1b_Gi=31;OK\x1b\\")
	a.WaitScreen("placeholders", func(s string) bool { return strings.Contains(s, "\U0010EEEE") })
	a.hides("OK", "Gi=31")
	for _, env := range [][]string{{}, {"TERM=xterm-kitty", "NBTERM_IMAGES=blocks"}} {
		if b := open(t, setup{file: file, env: env}).Bytes(); strings.Contains(string(b), "\x1b_G") {
			t.Errorf("%v: asked: %q", env, b)
		}
	}
}

// A picture is as high as the screen has room for, and follows it.
func TestPicturesUseTheRoom(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 640, 480))); err != nil {
		t.Fatal(err)
	}
	file := outputs(t, display("image/png", base64.StdEncoding.EncodeToString(picture.Bytes())), &mime.Stream{Name: "stdout", Text: mime.TextOf("after\n")})
	a := open(t, setup{file: file, profile: colorprofile.TrueColor})
	height := func() int {
		lines := strings.Split(a.Text(), "\n")
		find := func(text string) int {
			return slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
		}
		return find("after") - find("[image/png 640x480") - 1
	}
	if n := height(); n != 20 {
		t.Errorf("%d lines in 24:\n%s", n, a.Text())
	}
	a.resize(200, 50)
	if n := height(); n != 46 {
		t.Errorf("%d lines in 50:\n%s", n, a.Text())
	}
	a.resize(60, 30)
	if n := height(); n != 19 { // as wide as there is room
		t.Errorf("%d lines in 60 columns:\n%s", n, a.Text())
	}
}
