package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// underHeader matches what stands below the header of a table.
var underHeader = regexp.MustCompile(`(?m)^ {0,3}[|:-][ \t|:-]*$`)

// maxGrid bounds the cells of tables: rows are filled up to the width of the header, so
// that a short text could make cells by the million.
const maxGrid = 100_000

// tooWide tells a text whose tables could have more cells than that.
func tooWide(text string) bool {
	lines, columns := 0, 0
	for line := range strings.Lines(text) {
		lines++
		columns = max(columns, strings.Count(line, "|")+1)
	}
	return columns > 2 && lines*columns > maxGrid && underHeader.MatchString(text)
}

// pipes takes the tables of Markdown out of prose: those that stand in no list and no
// quote. Glamour makes every table as wide as the screen.
func pipes(source string) (parts []Part) {
	if !strings.Contains(source, "|") || !underHeader.MatchString(source) || len(source) > Limit || tooDeep(source) || tooWide(source) {
		return []Part{{Text: source}}
	}
	defer func() {
		if recover() != nil { // as Render holds it: an odd text must not end the program
			parts = []Part{{Text: source}}
		}
	}()
	md := reader()
	in := []byte(source)
	root := md.Parser().Parse(text.NewReader(in))
	from := 0
	prose := func(to int) {
		if words := source[from:to]; strings.TrimSpace(words) != "" {
			parts = append(parts, Part{Text: words})
		}
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		begin, end, ok := extent(n, source)
		if !ok || begin < from {
			continue
		}
		var page bytes.Buffer
		if md.Renderer().Render(&page, in, n) != nil {
			continue // Glamour draws it
		}
		prose(begin)
		parts = append(parts, Part{Kind: Table, Text: source[begin:end], HTML: page.String()})
		from = end
	}
	prose(len(source))
	return parts
}

// reader reads what Glamour reads, but for HTML among words: it stays text, as what means
// something has become Markdown.
func reader() goldmark.Markdown {
	var inlines []util.PrioritizedValue
	html := parser.NewRawHTMLParser()
	for _, p := range parser.DefaultInlineParsers() {
		if p.Value != html {
			inlines = append(inlines, p)
		}
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(parser.DefaultBlockParsers()...),
			parser.WithInlineParsers(inlines...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList, extension.DefinitionList,
		),
	)
}

// extent is where in source the lines of a table are: its header, the line below that,
// and one for each row.
func extent(n ast.Node, source string) (begin, end int, ok bool) {
	table, ok := n.(*east.Table)
	if !ok {
		return 0, 0, false
	}
	cell := table.FirstChild().FirstChild()
	if cell == nil || cell.Lines().Len() == 0 {
		return 0, 0, false
	}
	begin = strings.LastIndexByte(source[:cell.Lines().At(0).Start], '\n') + 1
	end = begin
	for range table.ChildCount() + 1 {
		line, _, _ := strings.Cut(source[end:], "\n")
		end = min(end+len(line)+1, len(source))
	}
	return begin, end, true
}
