package highlight

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// Limit is the length in bytes of a source above which nothing is highlighted.
	Limit = 200 << 10
	// wholeLimit is up to where a language without a scanner of its own is lexed as a whole.
	wholeLimit = 8 << 10
	// lineLimit is the length of a line above which it is not highlighted.
	lineLimit = 4 << 10
)

// Span is a part of a line, up to the byte End.
type Span struct {
	End  int
	Kind Kind
}

// Source highlights the lines of one source text, when they are asked for. It belongs to
// one goroutine.
type Source struct {
	lines  []string
	spans  [][]Span // nil: not asked for yet
	python bool
	lexer  chroma.Lexer // nil: plain
	ready  bool         // lexer was looked up
	lang   string
	from   int     // lines before are not of this language (%%magic)
	starts []quote // what each line starts within, for Python, as far as known
}

// New returns the highlighter of lines (without line ends) in a language, named as
// language_info.name or a kernelspec does. An unknown language is plain.
func New(lines []string, language string) *Source {
	return &Source{lines: lines, lang: strings.ToLower(language), spans: make([][]Span, len(lines))}
}

// Spans returns the parts of line i; together they are the whole line.
func (s *Source) Spans(i int) []Span {
	s.prepare()
	if s.spans[i] == nil {
		s.spans[i] = s.line(i)
	}
	return s.spans[i]
}

func plain(line string) []Span { return []Span{{len(line), Plain}} }

// prepare looks up the lexer, once.
func (s *Source) prepare() {
	if s.ready {
		return
	}
	s.ready = true
	size := 0
	for _, l := range s.lines {
		size += len(l) + 1
	}
	if size > Limit {
		return
	}
	lang := s.cellMagic()
	if s.python = isPython(lang); s.python {
		lang = "python"
		s.starts = append(s.starts, "")
	}
	s.lexer = lookUp(lang)
	if s.lexer != nil && !s.python && size <= wholeLimit {
		s.whole()
	}
}

func isPython(lang string) bool {
	switch lang {
	case "python", "python3", "ipython", "ipython3", "py", "xonsh", "sage", "sagemath":
		return true
	}
	return false
}

// lookUp finds a lexer by its name or alias. lexers.Get is not used: for an unknown name
// it tries every file pattern of every language.
func lookUp(lang string) chroma.Lexer {
	if lang == "" {
		return nil
	}
	for _, l := range lexers.GlobalLexerRegistry.Lexers {
		config := l.Config()
		if strings.EqualFold(config.Name, lang) {
			return chroma.Coalesce(l)
		}
		for _, alias := range config.Aliases {
			if alias == lang {
				return chroma.Coalesce(l)
			}
		}
	}
	return nil
}

// cellMagic returns the language of a Python cell whose first line is %%magic: that of
// the magic's name, such as bash or html, "" if it names none.
func (s *Source) cellMagic() string {
	if !isPython(s.lang) || len(s.lines) == 0 || !strings.HasPrefix(s.lines[0], "%%") {
		return s.lang
	}
	s.from = 1
	s.spans[0] = []Span{{len(s.lines[0]), Decorator}}
	return magicLanguage(s.lines[0])
}

// magicLanguage returns the language of a cell that starts with the line %%magic.
func magicLanguage(line string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "%%"), " ")
	switch name {
	case "time", "timeit", "capture", "prun", "memit", "mprun", "pypy", "python3":
		return "python"
	case "script", "writefile", "file":
		return ""
	case "svg":
		return "xml"
	}
	return strings.ToLower(name)
}

func (s *Source) line(i int) []Span {
	line := s.lines[i]
	if s.lexer == nil || i < s.from || len(line) > lineLimit {
		return plain(line)
	}
	if !s.python {
		return s.lex(line)
	}
	q := s.start(i)
	if q == "" {
		if isMagic(line) {
			return []Span{{len(line), Decorator}}
		}
		return s.lex(line)
	}
	end := endOf(line, q)
	if end < 0 {
		return []Span{{len(line), String}}
	}
	spans := []Span{{end, String}}
	if end == len(line) {
		return spans
	}
	for _, sp := range s.lex(line[end:]) {
		spans = append(spans, Span{end + sp.End, sp.Kind})
	}
	return spans
}

// isMagic tells IPython's %magic and !command lines.
func isMagic(line string) bool {
	line = strings.TrimLeft(line, " ")
	return len(line) > 1 && (line[0] == '!' || line[0] == '%' && line[1] >= 'a' && line[1] <= 'z')
}

// start returns what Python's line i starts within.
func (s *Source) start(i int) quote {
	for n := len(s.starts); n <= i; n++ {
		q := quote("")
		if n > s.from {
			q = nextQuote(s.lines[n-1], s.starts[n-1])
		}
		s.starts = append(s.starts, q)
	}
	return s.starts[i]
}

// lex runs chroma over one line.
func (s *Source) lex(line string) []Span {
	var spans []Span
	at := 0
	for _, t := range tokens(s.lexer, line) {
		at = min(at+len(t.Value), len(line))
		spans = addSpan(spans, Span{at, kindOf(t.Type)})
	}
	if at < len(line) || spans == nil {
		spans = append(spans, Span{len(line), Plain})
	}
	return spans
}

func addSpan(spans []Span, sp Span) []Span {
	if n := len(spans); n > 0 && (spans[n-1].Kind == sp.Kind || spans[n-1].End == sp.End) {
		spans[n-1].End = sp.End
		return spans
	}
	return append(spans, sp)
}

// whole runs chroma over all lines at once.
func (s *Source) whole() {
	spans := make([][]Span, len(s.lines))
	i, at := s.from, 0
	for _, t := range tokens(s.lexer, strings.Join(s.lines[s.from:], "\n")) {
		kind := kindOf(t.Type)
		for k, part := range strings.Split(t.Value, "\n") {
			if k > 0 {
				i, at = i+1, 0
			}
			if i >= len(s.lines) {
				break // chroma adds a newline
			}
			if part != "" {
				at += len(part)
				spans[i] = addSpan(spans[i], Span{at, kind})
			}
		}
	}
	for i := s.from; i < len(s.lines); i++ {
		if n := len(spans[i]); n == 0 || spans[i][n-1].End != len(s.lines[i]) {
			spans[i] = plain(s.lines[i])
		}
		s.spans[i] = spans[i]
	}
}

// tokens reads all tokens; nil if the lexer gives up. Chroma's iterators report errors
// of their tables by panic and ask their users to recover.
func tokens(l chroma.Lexer, text string) (out []chroma.Token) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	it, err := l.Tokenise(nil, text)
	if err != nil {
		return nil
	}
	return it.Tokens()
}
