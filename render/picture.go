package render

import (
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/render/halfblock"
	"github.com/nbterm/nbterm/themes"
)

const (
	// pictureRows is how high a picture is drawn at most, in lines.
	pictureRows = 24
	// maxPixels is the size above which a picture is only named: decoding it takes seconds
	// and hundreds of megabytes.
	maxPixels = 50_000_000
)

// pictureName is what stands for a picture: type, size in pixels where its header says
// it, size in bytes.
func pictureName(e *mime.Entry) string {
	text := mime.JoinText(e.Value)
	if e.Type == "image/svg+xml" {
		return e.Type + ", " + byteSize(int64(len(text)))
	}
	size := byteSize(decodedSize(text))
	if c, ok := dimensions(e.Type, text); ok {
		return fmt.Sprintf("%s %dx%d, %s", e.Type, c.Width, c.Height, size)
	}
	return e.Type + ", " + size
}

// decodedSize is how many bytes a base64 text stands for.
func decodedSize(text string) int64 {
	n := int64(len(text))
	n -= int64(strings.Count(text, "\n") + strings.Count(text, "="))
	return n * 3 / 4
}

// codec is how one type of picture is read.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

func codecOf(typ string) (codec, bool) {
	switch typ {
	case "image/png":
		return codec{png.DecodeConfig, png.Decode}, true
	case "image/jpeg", "image/jpg":
		return codec{jpeg.DecodeConfig, jpeg.Decode}, true
	}
	return codec{}, false
}

func fromBase64(text string) io.Reader {
	return base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))
}

// dimensions reads a picture's header only.
func dimensions(typ, text string) (image.Config, bool) {
	read, ok := codecOf(typ)
	if !ok {
		return image.Config{}, false
	}
	c, err := read.config(fromBase64(text))
	return c, err == nil
}

// Pictures decides how pictures are drawn, and takes decoding away from the goroutine
// that draws. It belongs to that one. A nil *Pictures decodes when a picture is drawn.
type Pictures struct {
	// Off draws what stands for pictures only: for terminals without colours.
	Off     bool
	waiting []*Painting
}

// Painting is a picture to be decoded for a width.
type Painting struct {
	of    *picture
	width int
	drawn *halfblock.Picture
	err   error
}

// Take returns what is to be decoded: the pictures that were drawn without being decoded.
func (p *Pictures) Take() []*Painting {
	out := p.waiting
	p.waiting = nil
	return out
}

// Do decodes. It may be called from any goroutine, once.
func (p *Painting) Do() { p.drawn, p.err = p.of.decode(p.width) }

// Done hands over what Do made, on the goroutine that draws. It tells whether the
// picture's height changed, as it does when it cannot be decoded.
func (p *Painting) Done() (higher bool) {
	if p.of.wanted != p.width {
		return false // another width was asked for meanwhile
	}
	p.of.drawn, p.of.width, p.of.wanted, p.of.failed = p.drawn, p.width, 0, p.err != nil
	return p.of.failed
}

// picture is a Block of a picture with a line above it that names it.
type picture struct {
	entry    *mime.Entry
	config   image.Config
	back     halfblock.Backdrop
	caption  Block
	instead  Block // where it cannot be decoded
	pictures *Pictures

	drawn  *halfblock.Picture // for width
	width  int
	wanted int // the width that a Painting is under way for
	failed bool
}

// newPicture returns the drawing of a picture; nil where only its name can be shown.
func newPicture(e *mime.Entry, meta rawjson.Value, th *themes.Theme, pictures *Pictures, instead Block) Block {
	if th.NoColor || pictures != nil && pictures.Off {
		return nil
	}
	c, ok := dimensions(e.Type, mime.JoinText(e.Value))
	if !ok || c.Width < 1 || c.Height < 1 || max(c.Width, c.Height) > halfblock.MaxSide || c.Width*c.Height > maxPixels {
		return nil
	}
	return &picture{
		entry: e, config: c, back: backdrop(meta.Get(e.Type).Get("needs_background").Str(), th),
		caption: standIn(pictureName(e), th), instead: instead, pictures: pictures,
	}
}

// backdrop is what shows through a picture: what it asks for, as matplotlib does for
// figures without a background, or the terminal's own.
func backdrop(needs string, th *themes.Theme) halfblock.Backdrop {
	c, solid := th.Background, true
	switch needs {
	case "light":
		c = themes.White
	case "dark":
		c = themes.Black
	default:
		solid = false
	}
	r, g, b := c.RGB()
	return halfblock.Backdrop{Color: color.RGBA{R: r, G: g, B: b, A: 255}, Solid: solid}
}

var errChanged = errors.New("the picture has another size than its header says")

func (p *picture) decode(width int) (*halfblock.Picture, error) {
	read, _ := codecOf(p.entry.Type)
	img, err := read.decode(fromBase64(mime.JoinText(p.entry.Value)))
	if err != nil {
		return nil, err
	}
	if size := img.Bounds().Size(); size.X != p.config.Width || size.Y != p.config.Height {
		return nil, errChanged
	}
	cols, pixels := p.fit(width)
	return halfblock.Scale(img, cols, pixels, p.back), nil
}

func (p *picture) fit(width int) (cols, pixels int) {
	return halfblock.Fit(p.config.Width, p.config.Height, width, pictureRows)
}

func (p *picture) Height(width int) int {
	width = max(width, 1)
	if p.failed {
		return p.instead.Height(width)
	}
	_, pixels := p.fit(width)
	return p.caption.Height(width) + (pixels+1)/2
}

func (p *picture) Lines(width, from, n int) []string {
	width = max(width, 1)
	p.prepare(width)
	if p.failed {
		return p.instead.Lines(width, from, n)
	}
	head := p.caption.Height(width)
	var out []string
	if from < head {
		out = p.caption.Lines(width, from, min(n, head-from))
	}
	for i := max(from-head, 0); i < min(from+n, p.Height(width))-head; i++ {
		line := ""
		if p.width == width {
			line = p.drawn.Line(i)
		}
		out = append(out, line)
	}
	return out
}

// prepare decodes the picture for a width, or asks for that.
func (p *picture) prepare(width int) {
	if p.failed || p.width == width || p.wanted == width {
		return
	}
	p.wanted = width
	job := &Painting{of: p, width: width}
	if p.pictures != nil {
		p.pictures.waiting = append(p.pictures.waiting, job)
		return
	}
	job.Do()
	job.Done()
}
