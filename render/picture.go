package render

import (
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
	// pictureRows is how high a picture is drawn at most, in lines, where nothing else is said.
	pictureRows = 24
	// maxPixels is the size above which a picture is only named: decoding it takes seconds
	// and hundreds of megabytes.
	maxPixels = 50_000_000
)

// about is what can be said of a picture without decoding it.
type about struct {
	typ, bytes string
	config     image.Config // zero where the header does not say it
}

// name stands for the picture: its type and sizes.
func (a about) name() string {
	return strings.Join(notEmpty(a.typ, a.size()), " ") + ", " + a.bytes
}

// size is the picture's size in pixels, "" where that is not known.
func (a about) size() string {
	if a.config.Width == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", a.config.Width, a.config.Height)
}

// readAbout reads a picture's header only.
func readAbout(e *mime.Entry) about {
	if e.Type == "image/svg+xml" {
		return about{typ: e.Type, bytes: ByteSize(int64(len(mime.JoinText(e.Value))))}
	}
	a := about{typ: e.Type, bytes: ByteSize(decodedSize(e.Value))}
	if read, ok := codecOf(e.Type); ok {
		if c, err := read.config(fromBase64(e.Value)); err == nil {
			a.config = c
		}
	}
	return a
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

// Pictures decides how pictures are drawn, and takes decoding away from the goroutine
// that draws. It belongs to that one. A nil *Pictures decodes when a picture is drawn.
type Pictures struct {
	// Off draws what stands for pictures only: for terminals without colours.
	Off bool
	// Kitty draws placeholders of the Kitty graphics protocol instead of half blocks. What
	// Send returns must reach the terminal.
	Kitty bool
	// Rows is how high a picture is drawn at most, in lines; 0 is 24. Whoever changes it
	// measures what is drawn anew.
	Rows    int
	waiting []*Painting
	slots   slots
}

// Painting is a picture to be decoded for a size.
type Painting struct {
	of           *picture
	cols, pixels int // see halfblock.Fit
	kitty        bool
	drawn        *halfblock.Picture

	payload string // for Kitty, else ""
	id      int
	err     error
}

// Take returns what is to be decoded: the pictures that were drawn without being decoded.
func (p *Pictures) Take() []*Painting {
	out := p.waiting
	p.waiting = nil
	return out
}

// Do decodes. It may be called from any goroutine, once.
func (p *Painting) Do() {
	var img image.Image
	if img, p.err = p.of.decode(); p.err != nil {
		return
	}
	if p.kitty {
		if p.payload = p.of.payload(img); p.payload != "" {
			return
		}
	}
	p.drawn = halfblock.Scale(img, p.cols, p.pixels, p.of.back)
}

// Memory is about how many bytes Do needs while it works.
func (p *Painting) Memory() int { return 4 * p.of.config.Width * p.of.config.Height }

// Done hands over what Do made, on the goroutine that draws. It tells whether the
// picture's height changed, as it does when it cannot be decoded.
func (p *Painting) Done() (higher bool) {
	if p.of.wanted != p.cols {
		return false // another size was asked for meanwhile
	}
	p.of.drawn, p.of.cols, p.of.wanted, p.of.failed = p.drawn, p.cols, 0, p.err != nil
	p.of.id = p.id
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

	drawn  *halfblock.Picture // nil if the terminal has the picture
	id     int                // that the terminal has it by
	cols   int                // that it was decoded for, 0 if it was not yet
	wanted int                // that a Painting is under way for
	failed bool
}

// newPicture returns the drawing of a picture; nil where only its name can be shown.
func newPicture(e *mime.Entry, known about, meta rawjson.Value, th *themes.Theme, pictures *Pictures, caption, instead Block) Block {
	if th.NoColor || pictures != nil && pictures.Off {
		return nil
	}
	c := known.config
	if c.Width < 1 || c.Height < 1 || max(c.Width, c.Height) > halfblock.MaxSide || c.Width*c.Height > maxPixels {
		return nil
	}
	return &picture{
		entry: e, config: c, back: backdrop(meta.Get(e.Type).Get("needs_background").Str(), th),
		caption: caption, instead: instead, pictures: pictures,
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

// isDrawnPicture tells whether a block draws a picture.
func isDrawnPicture(b Block) bool {
	if l, ok := b.(*lazy); ok {
		b = l.get()
	}
	_, ok := b.(*picture)
	return ok
}

var errChanged = errors.New("the picture has another size than its header says")

func (p *picture) decode() (image.Image, error) {
	read, _ := codecOf(p.entry.Type)
	img, err := read.decode(fromBase64(p.entry.Value))
	if err != nil {
		return nil, err
	}
	if size := img.Bounds().Size(); size.X != p.config.Width || size.Y != p.config.Height {
		return nil, errChanged
	}
	return img, nil
}

func (p *picture) fit(width int) (cols, pixels int) {
	rows := pictureRows
	if p.pictures != nil && p.pictures.Rows > 0 {
		rows = p.pictures.Rows
	}
	return halfblock.Fit(p.config.Width, p.config.Height, width, rows)
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
	cols := p.prepare(width)
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
		switch {
		case p.cols != cols:
		case p.drawn != nil:
			line = p.drawn.Line(i)
		default:
			line = p.placeholders(i)
		}
		out = append(out, line)
	}
	return out
}

// prepare decodes the picture for a width, or asks for that. It returns the width in
// cells that the picture takes.
func (p *picture) prepare(width int) int {
	cols, pixels := p.fit(width)
	if p.failed || p.cols == cols || p.wanted == cols {
		if p.id > 0 {
			p.pictures.slots.touch(p.id)
		}
		return cols
	}
	p.wanted = cols
	job := &Painting{of: p, cols: cols, pixels: pixels}
	if p.pictures != nil {
		job.kitty = p.pictures.Kitty
		p.pictures.waiting = append(p.pictures.waiting, job)
		return cols
	}
	job.Do()
	job.Done()
	return cols
}
