package render

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/latex"
	"github.com/nbterm/nbterm/render/table"
	"github.com/nbterm/nbterm/themes"
)

// data draws a display or a result in the form that reads best as text.
func data(d *mime.Data, th *themes.Theme, pictures *Pictures) Block {
	var size int64
	for _, e := range d.Bundle {
		if strings.HasPrefix(e.Type, "text/") {
			size = max(size, int64(len(e.Value)))
		}
	}
	return &lazy{
		make:  func() Block { return makeData(d, th, pictures) },
		guess: func(width int) int { return bytesGuess(size, width) },
	}
}

func makeData(d *mime.Data, th *themes.Theme, pictures *Pictures) Block {
	b := d.Bundle
	plain, hasPlain := b.Plain()
	telling := hasPlain && !isObjectName(plain)
	if e := first(b, isDrawable); e != nil {
		known := readAbout(e)
		named := pictureNamed(known, plain, th)
		if p := newPicture(e, known, d.Metadata, th, pictures, standIn(known.name(), th), named); p != nil {
			return p
		}
		return named
	}
	if v := b.Get("text/markdown"); v != nil {
		return Markdown(mime.JoinText(v), *th)
	}
	parts := table.Parse(mime.JoinText(b.Get("text/html")))
	if table.HasTable(parts) || parts != nil && !telling && first(b, isBetter) == nil {
		return page(parts, th)
	}
	if e := first(b, isPicture); e != nil {
		return pictureNamed(readAbout(e), plain, th)
	}
	if telling && first(b, isVendorJSON) == nil {
		return newText(plain, th.Text, th)
	}
	if v := b.Get("text/latex"); v != nil {
		return formula(mime.JoinText(v), th)
	}
	if v := b.Get("application/json"); v != nil {
		return &jsonTree{value: v, th: *th}
	}
	if e := first(b, isVendorJSON); e != nil {
		blocks := stack{standIn(sizedName(e), th)}
		if telling {
			blocks = append(blocks, newText(plain, th.Text, th))
		}
		return blocks
	}
	if hasPlain && first(b, isOther) == nil {
		return newText(plain, th.Text, th)
	}
	return standIns(b, plain, th)
}

// formula draws LaTeX as text, or its source where it is no simple formula.
func formula(source string, th *themes.Theme) Block {
	if lines, ok := latex.Lines(source); ok {
		return newText(strings.Join(lines, "\n"), th.Text, th)
	}
	return Source(strings.TrimRight(source, "\n"), "tex", *th)
}

// pictureNamed stands for a picture that is not drawn.
func pictureNamed(known about, plain string, th *themes.Theme) Block {
	blocks := stack{standIn(known.name(), th)}
	if plain != "" {
		blocks = append(blocks, newText(plain, th.Text, th))
	}
	return blocks
}

// standIns names what there is, or says that there is nothing.
func standIns(b mime.Bundle, plain string, th *themes.Theme) Block {
	if e := first(b, isOther); e != nil {
		blocks := stack{standIn(sizedName(e), th)}
		if plain != "" {
			blocks = append(blocks, newText(plain, th.Text, th))
		}
		return blocks
	}
	return standIn("empty output", th)
}

// first returns the first entry of a kind, nil if there is none.
func first(b mime.Bundle, is func(typ string) bool) *mime.Entry {
	for i := range b {
		if is(b[i].Type) {
			return &b[i]
		}
	}
	return nil
}

// isDrawable tells the pictures that can be drawn.
func isDrawable(typ string) bool {
	_, ok := codecOf(typ)
	return ok
}

func isPicture(typ string) bool {
	return strings.HasPrefix(typ, "image/") || typ == "application/pdf"
}

// isVendorJSON tells the JSON types that only a program can show (Plotly, Vega, widgets).
// What E2B's kernels add for programs goes along with what people read.
func isVendorJSON(typ string) bool {
	return typ != "application/json" && mime.IsJSON(typ) && !strings.HasPrefix(typ, "application/vnd.e2b.")
}

// isBetter tells the types that read better than the text of a page without tables.
func isBetter(typ string) bool { return typ == "text/latex" || mime.IsJSON(typ) }

func isOther(typ string) bool { return typ != "text/plain" }

// objectName is Python's default repr, which stands where a better form was given.
var objectName = regexp.MustCompile(`^<[\w.]+(\.[\w.]+)* object( at 0x[0-9a-f]+)?>$`)

func isObjectName(plain string) bool {
	return len(plain) < 200 && objectName.MatchString(strings.TrimSpace(plain))
}

// sizedName is a type and the size of its value.
func sizedName(e *mime.Entry) string {
	n := int64(len(e.Value))
	if !mime.IsJSON(e.Type) {
		n = int64(len(mime.JoinText(e.Value)))
	}
	return e.Type + ", " + ByteSize(n)
}

// ByteSize writes a size for people, in powers of 1000.
func ByteSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
