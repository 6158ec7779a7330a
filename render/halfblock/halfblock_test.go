package halfblock

import (
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	for _, c := range []struct{ w, h, cols, rows, wantCols, wantPixels int }{
		{640, 480, 80, 24, 64, 48},
		{640, 480, 20, 24, 20, 15},
		{8, 8, 80, 24, 8, 8}, // never larger than it is
		{1, 10_000, 80, 24, 1, 48},
		{10_000, 1, 80, 24, 80, 1},
		{3, 3, 1, 1, 1, 1},
	} {
		if cols, pixels := Fit(c.w, c.h, c.cols, c.rows); cols != c.wantCols || pixels != c.wantPixels {
			t.Errorf("%+v: %dx%d", c, cols, pixels)
		}
	}
}

var (
	red    = color.NRGBA{R: 255, A: 255}
	blue   = color.NRGBA{B: 255, A: 255}
	white  = color.NRGBA{R: 255, G: 255, B: 255, A: 255}
	paper  = Backdrop{Color: color.RGBA{R: 28, G: 28, B: 28, A: 255}}
	onGrey = Backdrop{Color: color.RGBA{R: 200, G: 200, B: 200, A: 255}, Solid: true}
)

// paint makes a picture of rows of letters.
func paint(rows ...string) image.Image {
	img := image.NewNRGBA(image.Rect(3, 5, 3+len(rows[0]), 5+len(rows))) // not at the origin
	colors := map[rune]color.NRGBA{'r': red, 'b': blue, 'w': white, 'h': {R: 255, A: 128}, '.': {}}
	for y, row := range rows {
		for x, c := range row {
			img.SetNRGBA(3+x, 5+y, colors[c])
		}
	}
	return img
}

// drawn is the lines of a picture at its own size, with ␛.
func drawn(img image.Image, back Backdrop) []string {
	p := Scale(img, img.Bounds().Dx(), img.Bounds().Dy(), back)
	var out []string
	for i := range p.Rows() {
		out = append(out, strings.ReplaceAll(p.Line(i), "\x1b", "␛"))
	}
	return out
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name string
		img  image.Image
		back Backdrop
		want []string
	}{
		{"halves", paint("rr", "bb"), paper, []string{"␛[38;2;255;0;0;48;2;0;0;255m▀▀␛[m"}},
		{"one colour", paint("rr", "rr"), paper, []string{"␛[48;2;255;0;0m  ␛[m"}},
		{"odd height", paint("r", "b", "r"), paper, []string{"␛[38;2;255;0;0;48;2;0;0;255m▀␛[m", "␛[38;2;255;0;0m▀␛[m"}},
		{"clear", paint(".r.b.", "..r.."), paper, []string{" ␛[38;2;255;0;0m▀▄␛[38;2;0;0;255m▀␛[m"}},
		{"clear before colour", paint("rb.r", "rr.r"), paper, []string{"␛[48;2;255;0;0m ␛[38;2;0;0;255m▀␛[m ␛[48;2;255;0;0m ␛[m"}},
		{"half clear", paint("h", "h"), paper, []string{"␛[48;2;141;13;13m ␛[m"}},
		{"all clear", paint("..", ".."), paper, []string{""}},
		{"on paper", paint("..", ".r"), onGrey, []string{"␛[48;2;200;200;200m ␛[38;2;200;200;200;48;2;255;0;0m▀␛[m"}},
	} {
		if got := drawn(c.img, c.back); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestScaleAverages(t *testing.T) {
	img := paint("rrbbrr", "rrbbrb") // no paper: the corners differ
	if got := Scale(img, 3, 1, paper).pixels; got[0] != (pixel{r: 255}) || got[1] != (pixel{b: 255}) || got[2] != (pixel{r: 191, b: 63}) {
		t.Errorf("%v", got)
	}
	thin := make([]string, 10)
	for i := range thin {
		thin[i] = strings.Repeat("wwwwbwwwww", 3)
	}
	got := Scale(paint(thin...), 3, 1, paper).pixels[1]
	if got.r < 150 || got.r > 200 || got.b < 250 { // a plain average would be 229
		t.Errorf("a thin line on paper: %v", got)
	}
	grey := image.NewGray16(image.Rect(0, 0, 7, 7))
	for _, size := range [][2]int{{1, 1}, {7, 7}, {3, 5}} {
		if got := Scale(grey, size[0], size[1], paper); len(got.pixels) != size[0]*size[1] {
			t.Errorf("%v: %d pixels", size, len(got.pixels))
		}
	}
}

// TestNothingButColours reads random pictures for what a line may hold.
func TestNothingButColours(t *testing.T) {
	line := regexp.MustCompile("^(?:[ ▀▄]|\x1b\\[m|\x1b\\[[0-9;]+m)*$")
	img := image.NewNRGBA(image.Rect(0, 0, 37, 23))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i * 31 >> 3)
	}
	p := Scale(img, 37, 23, paper)
	for i := range p.Rows() {
		if l := p.Line(i); !line.MatchString(l) || strings.Contains(l, "\x1b[") && !strings.HasSuffix(l, "\x1b[m") {
			t.Errorf("%q", l)
		}
	}
}

// BenchmarkScale makes the drawing of a plot.
func BenchmarkScale(b *testing.B) {
	img := image.NewNRGBA(image.Rect(0, 0, 640, 480))
	for b.Loop() {
		Scale(img, 64, 48, paper)
	}
}
