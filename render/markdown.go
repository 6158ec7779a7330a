package render

import (
	"path"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/render/markdown"
	"github.com/nbterm/nbterm/render/table"
	"github.com/nbterm/nbterm/themes"
)

// prose is a Block of Markdown, drawn for one width at a time.
type prose struct {
	source   string
	attached rawjson.Value
	th       themes.Theme
	pictures *Pictures
	figures  map[markdown.Picture]Block // made once: they hold what was decoded
	drawn    Block
	width    int // that it was drawn for
}

// Markdown returns the drawing of Markdown. It is drawn when it is first asked for its
// height or lines at a width; Estimate costs nothing.
func Markdown(source string, th themes.Theme) Block {
	return MarkdownWith(source, nil, th, nil)
}

// MarkdownWith is Markdown of a cell with attached files, an object of MIME bundles by file
// name, and with pictures drawn as told.
func MarkdownWith(source string, attached rawjson.Value, th themes.Theme, pictures *Pictures) Block {
	return &prose{source: source, attached: attached, th: th, pictures: pictures, figures: map[markdown.Picture]Block{}}
}

func (p *prose) at(width int) Block {
	if p.drawn == nil || p.width != width {
		var all stack
		for i, part := range markdown.Parts(ansi.Strip(p.source), p.name) {
			if i > 0 {
				all = append(all, newText("\n", themes.Style{}, &p.th))
			}
			all = append(all, p.part(part, width))
		}
		p.drawn, p.width = all, width
	}
	return p.drawn
}

// part draws prose by Glamour and code as the source of a cell is.
func (p *prose) part(part markdown.Part, width int) Block {
	switch part.Kind {
	case markdown.Code:
		th := p.th
		th.Text = th.CodeBlock
		return gutter{Source(part.Text, part.Language, th), " "}
	case markdown.Formula:
		return gutter{formula(part.Text, &p.th), " "}
	case markdown.HTML:
		if parts := table.Parse(part.Text); parts != nil {
			return page(parts, &p.th)
		}
	case markdown.Table:
		// Glamour wraps the texts of one that is wider than the screen, so that all of it can be read.
		if parts := table.Parse(part.HTML); len(parts) == 1 && parts[0].Table != nil && parts[0].Table.Width() <= width {
			parts[0].Table.Uncut = true
			return page(parts, &p.th)
		}
	case markdown.Image:
		return p.figure(part.Picture)
	case markdown.Prose:
	}
	out, err := markdown.Render(part.Text, width, &p.th)
	if err != nil { // too long or too odd: the source is readable too
		out = part.Text
	}
	return newText(out, themes.Style{}, &p.th)
}

// file is the bundle of a picture that the notebook holds, with the words that stand for it.
func (p *prose) file(pic markdown.Picture) (b mime.Bundle, words string) {
	if pic.Name == "" {
		typ, data, _ := strings.Cut(strings.TrimPrefix(pic.Data, "data:"), ";base64,")
		return mime.Bundle{{Type: typ, Value: rawjson.Quote(data)}}, pic.Alt
	}
	return mime.ReadBundle(p.attached.Get(pic.Name)), path.Base(pic.Name)
}

// name is what stands for a picture among words: its file and its size.
func (p *prose) name(pic markdown.Picture) (words string, there bool) {
	b, words := p.file(pic)
	e := first(b, isPicture)
	if e == nil {
		return ansi.OneLine(words) + ", not attached", false
	}
	return ansi.OneLine(strings.Join(notEmpty(words, readAbout(e).size()), " ")), true
}

// figure draws a picture that the notebook holds.
func (p *prose) figure(pic markdown.Picture) Block {
	if b := p.figures[pic]; b != nil {
		return b
	}
	files, words := p.file(pic)
	e := first(files, isPicture)
	known := readAbout(e) // it is there: see name
	named := standIn(strings.Join(notEmpty(strings.TrimSpace(words+" "+known.size()), known.typ, known.bytes), ", "), &p.th)
	made := newPicture(e, known, nil, &p.th, p.pictures, named, named)
	if made == nil {
		made = named
	}
	p.figures[pic] = made
	return made
}

func (p *prose) Height(width int) int { return p.at(max(width, 1)).Height(width) }

func (p *prose) Lines(width, from, n int) []string {
	return p.at(max(width, 1)).Lines(width, from, n)
}

func (p *prose) Estimate(width int) int {
	if p.drawn != nil && p.width == width {
		return p.drawn.Height(width)
	}
	return strings.Count(p.source, "\n") + len(p.source)/max(width, 1) + 1
}
