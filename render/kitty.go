package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/nbterm/nbterm/notebook/mime"
)

// Pictures of terminals with the Kitty graphics protocol are sent once and named by number;
// what is drawn are placeholder characters, which scroll and go like any others
// (sw.kovidgoyal.net/kitty/graphics-protocol, "Unicode placeholders"). The number is their
// colour. It is one of the 256-colour palette, as 24-bit colours do not survive on terminals
// that have fewer.
const (
	firstPicture = 16
	pictureSlots = 64
	// kittyChunk is how much of a picture one sequence carries.
	kittyChunk = 4096
	// maxPayload is the length in bytes of a picture in base64 above which half blocks are drawn.
	maxPayload = 8 << 20
)

// slots are the numbers of pictures that the terminal has.
type slots struct {
	owner [pictureSlots]*picture
	used  [pictureSlots]uint64 // when it was drawn last
	clock uint64
}

// take gives p a number. old is true if another picture had it, the one not drawn for longest.
func (s *slots) take(p *picture) (id int, old bool) {
	at := 0
	for i, owner := range s.owner {
		if owner == p {
			at = i
			break
		}
		if s.used[i] < s.used[at] {
			at = i
		}
	}
	if owner := s.owner[at]; owner != nil {
		old = true
		owner.id, owner.cols = 0, 0
	}
	s.owner[at] = p
	s.touch(firstPicture + at)
	return firstPicture + at, old
}

// touch says that a picture was drawn.
func (s *slots) touch(id int) {
	s.clock++
	s.used[id-firstPicture] = s.clock
}

// payload is the picture as PNG in base64; "" for one that is too large. A PNG stays as it is.
func (p *picture) payload(img image.Image) string {
	text := strings.ReplaceAll(mime.JoinText(p.entry.Value), "\n", "")
	if p.entry.Type != "image/png" || p.back.Solid {
		out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
		if p.back.Solid {
			draw.Draw(out, out.Rect, image.NewUniform(p.back.Color), image.Point{}, draw.Src)
		}
		draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Over)
		var b bytes.Buffer
		if png.Encode(&b, out) != nil {
			return ""
		}
		text = base64.StdEncoding.EncodeToString(b.Bytes())
	}
	if len(text) > maxPayload {
		return ""
	}
	return text
}

// Send returns what gives the terminal the pictures that were decoded for it, one sequence
// each; nil if there is none. It is to be written before Done is called.
func (p *Pictures) Send(work []*Painting) []string {
	var out []string
	for _, w := range work {
		if w.payload == "" || w.err != nil || w.of.wanted != w.cols {
			continue
		}
		var old bool
		if w.id, old = p.slots.take(w.of); old {
			out = append(out, fmt.Sprintf("\x1b_Gq=2,a=d,d=I,i=%d\x1b\\", w.id))
		}
		out = append(out, w.transmission()...)
	}
	return out
}

// transmission is the sequences that send a picture and make a place of its size for it.
func (w *Painting) transmission() (out []string) {
	options := fmt.Sprintf("a=T,U=1,f=100,i=%d,c=%d,r=%d,", w.id, w.cols, (w.pixels+1)/2)
	for rest := w.payload; rest != "" || len(out) == 0; options = "" {
		n := min(len(rest), kittyChunk)
		more := 0
		if n < len(rest) {
			more = 1
		}
		out = append(out, fmt.Sprintf("\x1b_Gq=2,%sm=%d;%s\x1b\\", options, more, rest[:n]))
		rest = rest[n:]
	}
	return out
}

// placeholders is a row of the picture's place. Each cell says its row and column, so that
// it can be drawn without its neighbours.
func (p *picture) placeholders(row int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\x1b[38;5;%dm", p.id)
	for col := range p.cols {
		b.WriteRune(kitty.Placeholder)
		b.WriteRune(kitty.Diacritic(row))
		b.WriteRune(kitty.Diacritic(col))
	}
	b.WriteString("\x1b[m")
	return b.String()
}
