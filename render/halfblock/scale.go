package halfblock

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// MaxSide bounds a picture's width and height in pixels: one row of it is in memory twice.
const MaxSide = 32_768

// Fit returns the size of the drawing of a picture of w×h pixels in at most maxCols×maxRows
// cells: width in cells, height in pixels, of which a cell holds two. Pictures are never
// made larger than they are.
func Fit(w, h, maxCols, maxRows int) (cols, pixels int) {
	scale := min(1, float64(maxCols)/float64(w), 2*float64(maxRows)/float64(h))
	return side(w, scale, maxCols), side(h, scale, 2*maxRows)
}

func side(n int, scale float64, most int) int {
	return max(min(int(math.Round(float64(n)*scale)), most), 1)
}

// Backdrop is what shows through a picture.
type Backdrop struct {
	Color color.RGBA // what half transparent pixels are mixed with
	Solid bool       // wholly transparent pixels have Color too, not the terminal's own background
}

// Picture is a picture scaled down to what is drawn of it.
type Picture struct {
	cols   int
	pixels []pixel // cols in a row
}

// pixel is one half of a cell; clear is the terminal's own background.
type pixel struct {
	r, g, b uint8
	clear   bool
}

// Scale returns img scaled down to a size that Fit gave: each pixel is the average of
// those it stands for. In a picture on plain paper, as charts are, what is drawn counts
// more than the paper, or thin lines would pale.
func Scale(img image.Image, cols, pixels int, back Backdrop) *Picture {
	p := &Picture{cols: cols, pixels: make([]pixel, 0, cols*pixels)}
	size := img.Bounds().Size()
	row := image.NewRGBA(image.Rect(0, 0, size.X, 1))
	sums := make([]sum, cols)
	paper, plain := paperOf(img)
	for y := range pixels {
		clear(sums)
		from := y * size.Y / pixels
		to := max((y+1)*size.Y/pixels, from+1)
		for ; from < to; from++ {
			draw.Draw(row, row.Rect, img, img.Bounds().Min.Add(image.Pt(0, from)), draw.Src)
			addRow(sums, row.Pix, size.X, paper, plain)
		}
		for _, s := range sums {
			p.pixels = append(p.pixels, s.pixel(back))
		}
	}
	return p
}

// paperOf is the colour that all corners of a picture have.
func paperOf(img image.Image) (c color.RGBA, plain bool) {
	b := img.Bounds()
	at := func(x, y int) color.RGBA {
		r, g, b, a := img.At(x, y).RGBA()
		return color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: uint8(a >> 8)}
	}
	c = at(b.Min.X, b.Min.Y)
	plain = c == at(b.Max.X-1, b.Min.Y) && c == at(b.Min.X, b.Max.Y-1) && c == at(b.Max.X-1, b.Max.Y-1)
	return c, plain
}

// sum adds up pixels whose colours are multiplied with their alpha, n times each.
type sum struct{ r, g, b, a, n uint64 }

// paperWeight is what a pixel of the paper's own colour counts; the most different ones
// count that and maxContrast.
const (
	paperWeight = 64
	maxContrast = 255
)

func addRow(sums []sum, pix []uint8, width int, paper color.RGBA, plain bool) {
	for x := range sums {
		from := x * width / len(sums)
		to := max((x+1)*width/len(sums), from+1)
		s := &sums[x]
		for i := 4 * from; i < 4*to; i += 4 {
			r, g, b, a := pix[i], pix[i+1], pix[i+2], pix[i+3]
			weight := uint64(1)
			if plain {
				weight = paperWeight + min(far(r, paper.R)+far(g, paper.G)+far(b, paper.B)+far(a, paper.A), maxContrast)
			}
			s.r += weight * uint64(r)
			s.g += weight * uint64(g)
			s.b += weight * uint64(b)
			s.a += weight * uint64(a)
			s.n += weight
		}
	}
}

func far(a, b uint8) uint64 { return uint64(max(a, b) - min(a, b)) }

// nearlyClear is the alpha below which the terminal's background shows.
const nearlyClear = 24

func (s sum) pixel(back Backdrop) pixel {
	alpha := s.a / s.n
	if alpha < nearlyClear && !back.Solid {
		return pixel{clear: true}
	}
	mix := func(c uint64, b uint8) uint8 { return uint8(min(c/s.n+uint64(b)*(255-alpha)/255, 255)) }
	return pixel{r: mix(s.r, back.Color.R), g: mix(s.g, back.Color.G), b: mix(s.b, back.Color.B)}
}
