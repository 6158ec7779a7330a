package markdown

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Part is a run of a text that is drawn in one way.
type Part struct {
	Kind     Kind
	Text     string // of code: what is between the fences, without the last newline
	Language string // of code: the first word behind the fence
	HTML     string // of a table of Markdown: what it is in HTML
	Picture  Picture
}

// Kind is how a Part is drawn.
type Kind uint8

// The kinds of parts.
const (
	Prose   Kind = iota // Text is for Render
	Code                // a fenced block
	Formula             // LaTeX with its delimiters, in lines of its own
	HTML                // a table of HTML
	Image               // a picture that the notebook holds
	Table               // a table of Markdown: drawn from its HTML, or Text is for Render
)

// Picture is a picture that the notebook holds: in a file attached to the cell, or in its text.
type Picture struct {
	Name string // of the file, "" for one in the text
	Alt  string
	Data string // with Name "": the data URI
}

// Parts takes a text apart. name gives what stands for a picture among words, and whether
// it is there to be drawn. HTML and formulas within prose are Markdown in it.
func Parts(text string, name func(Picture) (words string, there bool)) []Part {
	text = strings.NewReplacer(mark, "", markEnd, "").Replace(text)
	b := builder{name: name}
	for _, p := range split(text) {
		if p.Kind == Prose {
			if hidden := b.hide(p.Text); len(hidden) <= Limit {
				b.prose(tokens(hidden))
				continue
			}
		}
		b.parts = append(b.parts, p)
	}
	b.define(text)
	return b.parts
}

// definition matches where a link of another place goes.
var definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S.*$`)

// define gives each part of a text that was taken apart the definitions of all.
func (b *builder) define(text string) {
	if len(b.parts) < 2 {
		return
	}
	all := definition.FindAllString(text, -1)
	for i, p := range b.parts {
		if len(all) > 0 && (p.Kind == Prose || p.Kind == Table) {
			b.parts[i].Text = strings.TrimRight(definition.ReplaceAllString(p.Text, ""), "\n") + "\n\n" + strings.Join(all, "\n")
		}
	}
}

// mark and markEnd stand around the number of a picture while a text is rewritten. They
// are of the plane for private use, and taken out of what comes from outside.
const mark, markEnd = "\uf8f0", "\uf8f1"

// builder collects parts.
type builder struct {
	parts    []Part
	name     func(Picture) (words string, there bool)
	pictures []Picture
}

// inText matches a picture within the text, in Markdown or HTML, which may be megabytes.
var inText = regexp.MustCompile(`(!\[[^\]\n]*\]\(\s*|<img\b[^<>]*?\bsrc\s*=\s*["']?)(data:image/[\w.+-]+;base64,[A-Za-z0-9+/=%\s]+?)([)"'\s>])`)

// hide puts the number of a picture in the place of its data.
func (b *builder) hide(text string) string {
	if !strings.Contains(text, "data:image/") {
		return text
	}
	return inText.ReplaceAllStringFunc(text, func(found string) string {
		m := inText.FindStringSubmatch(found)
		b.pictures = append(b.pictures, Picture{Data: m[2]})
		return m[1] + markOf(len(b.pictures)-1) + m[3]
	})
}

func markOf(n int) string { return mark + strconv.Itoa(n) + markEnd }

// unhide brings back the beginning of data where it is no picture.
func (b *builder) unhide(text string) string {
	return numbered.ReplaceAllStringFunc(text, func(m string) string {
		data := b.numbered(m).Data
		return data[:min(len(data), 40)] + "…"
	})
}

// hold puts a mark in the place of the pictures in a run of words that the notebook holds.
func (b *builder) hold(text string) string {
	return held.ReplaceAllStringFunc(text, func(found string) string {
		m := held.FindStringSubmatch(found)
		p := Picture{Name: m[2], Alt: m[1]}
		if name, err := url.PathUnescape(m[2]); err == nil {
			p.Name = name
		}
		if m[3] != "" {
			p.Data = b.numbered(m[3]).Data
		}
		words, there := b.name(p)
		if !there {
			return literal("[" + words + "]")
		}
		b.pictures = append(b.pictures, p)
		return markOf(len(b.pictures) - 1)
	})
}

// prose makes parts of a run without fences: formulas and tables that stand in lines of
// their own, and what is between.
func (b *builder) prose(in []token) {
	from, closed := 0, true
	for i := 0; i < len(in); i++ {
		n := 0
		switch {
		case in[i].kind == formula && isDisplay(in[i].text) && alone(in, i, i+1):
			n = 1
		case in[i].kind == tag && closed && strings.HasPrefix(strings.ToLower(in[i].text), "<table"):
			n = element(in[i:])
			if closed = n > 0; !alone(in, i, i+n) { // one that nothing closes is looked for once
				n = 0
			}
		}
		if n == 0 {
			continue
		}
		b.words(b.rewrite(in[from:i]))
		if in[i].kind == formula {
			b.parts = append(b.parts, Part{Kind: Formula, Text: source(in[i].text)})
		} else {
			b.parts = append(b.parts, Part{Kind: HTML, Text: b.unhide(joined(in[i : i+n]))})
		}
		i += n - 1
		from = i + 1
	}
	b.words(b.rewrite(in[from:]))
}

func joined(in []token) string {
	var all strings.Builder
	for _, t := range in {
		all.WriteString(t.text)
	}
	return all.String()
}

// alone tells whether the tokens from…to-1 begin a line at the margin and end one.
func alone(in []token, from, to int) bool {
	indent := 0
	for i := from - 1; i >= 0; i-- {
		text := in[i].text
		at := strings.LastIndexByte(text, '\n')
		if strings.TrimSpace(text[at+1:]) != "" {
			return false
		}
		if indent += len(text) - at - 1; at >= 0 {
			break
		}
	}
	for i := to; i < len(in); i++ {
		line, _, more := strings.Cut(in[i].text, "\n")
		if strings.TrimSpace(line) != "" {
			return false
		}
		if more {
			break
		}
	}
	return indent <= 3
}

// element is the number of tokens up to the tag that closes the first one's; 0 where none does.
func element(in []token) int {
	want, _ := nameOf(in[0].text)
	depth := 0
	for i, t := range in {
		if t.kind != tag {
			continue
		}
		if name, closing := nameOf(t.text); name == want {
			if closing {
				depth--
			} else {
				depth++
			}
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

var (
	emptyLines = regexp.MustCompile(`\n(?:[ \t]*\n)+`)
	held       = regexp.MustCompile(`!\[([^\]\n]*)\]\(\s*<?(?:attachment:([^)>\n]+?)|(` + mark + `\d+` + markEnd + `))>?(?:\s+"[^"\n]*")?\s*\)`)
	numbered   = regexp.MustCompile(mark + `(\d+)` + markEnd)
	notAlone   = regexp.MustCompile(`(?m)^(?:\s*(?:[-+*>|]|\d{1,9}[.)])|  )`)
)

// words adds prose and the tables in it.
func (b *builder) words(text string) {
	for _, p := range pipes(text) {
		if p.Kind == Prose {
			b.paragraphs(p.Text)
			continue
		}
		p.Text = numbered.ReplaceAllStringFunc(p.Text, func(m string) string { return literal(b.named(m)) })
		p.HTML = numbered.ReplaceAllStringFunc(p.HTML, func(m string) string { return html.EscapeString(b.named(m)) })
		b.parts = append(b.parts, p)
	}
}

// named is what stands for a picture where it is not drawn.
func (b *builder) named(m string) string {
	words, _ := b.name(b.numbered(m))
	return "[" + words + "]"
}

// paragraphs adds prose without tables. A picture that the notebook holds is drawn below the paragraph that
// has it, where that is not within a list or a table; among the words stands its name.
func (b *builder) paragraphs(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !strings.Contains(text, mark) {
		b.parts = append(b.parts, Part{Text: text})
		return
	}
	var run []string
	end := func() {
		if len(run) > 0 {
			b.parts = append(b.parts, Part{Text: strings.Join(run, "\n\n")})
			run = nil
		}
	}
	for _, p := range emptyLines.Split(text, -1) {
		found := numbered.FindAllStringSubmatch(p, -1)
		only := strings.TrimSpace(numbered.ReplaceAllString(p, "")) == ""
		if len(found) == 0 || !only || notAlone.MatchString(p) {
			run = append(run, numbered.ReplaceAllStringFunc(p, func(m string) string { return literal(b.named(m)) }))
		}
		if len(found) > 0 && !notAlone.MatchString(p) {
			end()
			for _, m := range found {
				b.parts = append(b.parts, Part{Kind: Image, Picture: b.numbered(m[0])})
			}
		}
	}
	end()
}

// numbered is the picture that a mark stands for.
func (b *builder) numbered(m string) Picture {
	n, err := strconv.Atoi(strings.Trim(m, mark+markEnd))
	if err != nil || n >= len(b.pictures) { // not one of ours
		return Picture{}
	}
	return b.pictures[n]
}
