package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/render/latex"
)

// marksOf is what Markdown has for simple tags: what opens and what closes.
func marksOf(name string) (open, end string, ok bool) {
	const paragraph = "\n\n"
	switch name {
	case "b", "strong":
		return "**", "**", true
	case "i", "em", "var", "cite", "dfn":
		return "*", "*", true
	case "code", "kbd", "tt", "samp":
		return "`", "`", true
	case "del", "s", "strike":
		return "~~", "~~", true
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return paragraph + strings.Repeat("#", int(name[1]-'0')) + " ", paragraph, true
	case "p", "div", "section", "article", "header", "footer", "main", "nav", "aside", "center", "figure", "figcaption",
		"blockquote", "details", "ul", "ol", "dl", "table", "tbody", "thead", "tfoot":
		return paragraph, paragraph, true
	case "summary":
		return paragraph + "▾ **", "**" + paragraph, true
	case "li", "dd":
		return "\n- ", "", true
	case "dt":
		return paragraph, "", true
	case "tr":
		return "", "  \n", true
	case "td", "th":
		return "", "  ", true
	case "hr":
		return paragraph + "---" + paragraph, "", true
	case "u", "span", "font", "small", "big", "mark", "abbr", "ins", "label", "input", "button", "wbr":
		return "", "", true
	case "video", "audio", "iframe", "embed", "object", "canvas":
		return `\[` + name + `\]`, "", true
	}
	return "", "", false
}

// isBlock tells the tags within which indentation means nothing.
func isBlock(open string) bool { return strings.HasPrefix(open, "\n") }

var attribute = regexp.MustCompile(`(?i)\b(href|src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)

func nameOf(tag string) (name string, closing bool) {
	tag, closing = strings.CutPrefix(tag[1:], "/")
	if end := strings.IndexAny(tag, " \t\n/>"); end >= 0 {
		tag = tag[:end]
	}
	return strings.ToLower(tag), closing
}

// attributes are those of a tag that count here.
func attributes(tag string) map[string]string {
	out := map[string]string{}
	for _, m := range attribute.FindAllStringSubmatch(tag, -1) {
		out[strings.ToLower(m[1])] = html.UnescapeString(m[2] + m[3] + m[4])
	}
	return out
}

// imageOf is Markdown's own for <img>.
func imageOf(tag string) string {
	a := attributes(tag)
	src := strings.ReplaceAll(a["src"], " ", "%20")
	if src == "" {
		return ""
	}
	return "![" + strings.NewReplacer("[", "", "]", "", "\n", " ").Replace(a["alt"]) + "](" + src + ")"
}

// rewriter turns the HTML in tokens into Markdown, and formulas into text.
type rewriter struct {
	*builder
	in    []token
	at    int
	out   []byte
	depth int      // of tags within which indentation means nothing
	links []string // where the open <a> go, "" for nowhere
}

// rewrite returns Markdown without tags and formulas.
func (b *builder) rewrite(in []token) string {
	r := &rewriter{builder: b, in: in}
	for ; r.at < len(in); r.at++ {
		switch t := in[r.at]; t.kind {
		case tag:
			r.tag(t.text)
		case comment:
		case formula:
			r.write(inline(t.text))
		case plain, indented:
			r.plain(t)
		case code:
			r.write(r.unhide(t.text))
		}
	}
	return string(r.out)
}

func (r *rewriter) write(text string) { r.out = append(r.out, text...) }

// plain writes words; within tags, without the indentation that HTML is written with.
func (r *rewriter) plain(t token) {
	text := r.hold(t.text)
	if r.depth == 0 {
		r.write(text)
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			r.write("\n")
		}
		if i > 0 || bytes.HasSuffix(r.out, []byte("\n")) {
			line = strings.TrimLeft(line, " \t")
		}
		r.write(line)
	}
}

func (r *rewriter) tag(text string) {
	name, closing := nameOf(text)
	switch name {
	case "br":
		r.lineBreak()
		return
	case "img":
		r.write(r.hold(imageOf(text)))
		return
	case "a":
		r.link(text, closing)
		return
	case "sub", "sup", "pre", "script", "style":
		if !closing {
			r.whole(name)
		}
		return
	}
	open, end, known := marksOf(name)
	switch {
	case !known:
		r.write(text)
	case open == end && open != "" && !isBlock(open):
		r.mark(open, closing)
	case closing:
		if isBlock(open) {
			r.depth = max(r.depth-1, 0)
		}
		r.write(end)
	default:
		if isBlock(open) && name != "hr" && name != "li" && name != "dd" && name != "dt" {
			r.depth++
		}
		r.write(open)
	}
}

// mark writes what Markdown has for <b> and the like. It must stand at words: spaces go out
// of it, and where there are no words it is left out.
func (r *rewriter) mark(mark string, closing bool) {
	if closing {
		words := bytes.TrimRight(r.out, " \t\n")
		space := string(r.out[len(words):])
		if r.out = words; bytes.HasSuffix(words, []byte(mark)) {
			r.out = words[:len(words)-len(mark)]
			mark = ""
		}
		r.write(mark + space)
		return
	}
	if next := r.at + 1; next < len(r.in) && r.in[next].kind == plain {
		words := strings.TrimLeft(r.in[next].text, " \t\n")
		r.write(r.in[next].text[:len(r.in[next].text)-len(words)])
		r.in[next].text = words
	}
	r.write(mark)
}

// lineBreak is <br>, which a table's row of Markdown has no room for.
func (r *rewriter) lineBreak() {
	line := string(r.out[bytes.LastIndexByte(r.out, '\n')+1:])
	if r.at+1 < len(r.in) && r.in[r.at+1].kind == plain {
		after, _, _ := strings.Cut(r.in[r.at+1].text, "\n")
		line += after
	}
	if strings.Contains(line, "|") {
		r.write(" ")
		return
	}
	r.write("  \n")
}

func (r *rewriter) link(text string, closing bool) {
	if !closing {
		to := strings.ReplaceAll(attributes(text)["href"], " ", "%20")
		if r.links = append(r.links, to); to != "" {
			r.write("[")
		}
		return
	}
	if n := len(r.links) - 1; n >= 0 {
		if to := r.links[n]; to != "" {
			r.write("](" + to + ")")
		}
		r.links = r.links[:n]
	}
}

// whole takes an element whose content is not Markdown.
func (r *rewriter) whole(name string) {
	var inner strings.Builder
	for r.at++; r.at < len(r.in); r.at++ {
		t := r.in[r.at]
		if t.kind == tag {
			if n, closing := nameOf(t.text); closing && n == name {
				break
			}
			continue
		}
		inner.WriteString(t.text)
	}
	text := html.UnescapeString(inner.String())
	switch name {
	case "sub":
		r.write(literal(latex.Subscript(text)))
	case "sup":
		r.write(literal(latex.Superscript(text)))
	case "pre":
		r.write("\n\n~~~~\n" + strings.Trim(text, "\n") + "\n~~~~\n\n")
	}
}
