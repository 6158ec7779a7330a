package latex

import (
	"strings"
	"unicode"
)

const (
	// maxLength is the length in bytes above which a formula is no simple one.
	maxLength = 2000
	maxDepth  = 40
)

// Text returns a formula, with or without its dollar signs, as one line of text. ok is
// false where something in it is not known; then the source reads better.
func Text(source string) (text string, ok bool) {
	source = bare(source)
	if len(source) > maxLength || source == "" {
		return "", false
	}
	p := parser{in: []rune(source), symbols: symbols(), relations: relations(), accents: accents()}
	text = tidy(p.all(0, 0))
	return text, !p.failed && p.at == len(p.in) && text != ""
}

// delimiters are what stands around a formula.
var delimiters = [...][2]string{
	{"$$", "$$"},
	{"$", "$"},
	{`\[`, `\]`},
	{`\(`, `\)`},
	{`\begin{equation*}`, `\end{equation*}`},
	{`\begin{equation}`, `\end{equation}`},
	{`\begin{displaymath}`, `\end{displaymath}`},
	{`\begin{math}`, `\end{math}`},
}

func bare(s string) string {
	s = strings.TrimSpace(s)
	for _, d := range delimiters {
		if len(s) >= len(d[0])+len(d[1]) && strings.HasPrefix(s, d[0]) && strings.HasSuffix(s, d[1]) {
			return strings.TrimSpace(s[len(d[0]) : len(s)-len(d[1])])
		}
	}
	return s
}

// tidy makes one space of several and none inside of brackets.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("( ", "(", " )", ")", "[ ", "[", " ]", "]", " ,", ",").Replace(s)
}

// parser reads a formula once from left to right.
type parser struct {
	in     []rune
	at     int
	failed bool

	symbols, relations, accents map[string]string
}

func (p *parser) fail() string {
	p.failed = true
	return ""
}

func (p *parser) peek() rune {
	if p.at >= len(p.in) {
		return 0
	}
	return p.in[p.at]
}

// next reads a character; 0 is the end.
func (p *parser) next() rune {
	c := p.peek()
	p.at = min(p.at+1, len(p.in))
	return c
}

// all reads until a character, which stays, or the end.
func (p *parser) all(until rune, depth int) string {
	var b strings.Builder
	for !p.failed && p.at < len(p.in) && p.peek() != until {
		if p.ends() {
			break
		}
		next := p.one(depth)
		if words(b.String(), next) {
			b.WriteByte(' ')
		}
		b.WriteString(next)
	}
	return b.String()
}

// ends tells what ends a cell of a matrix, or what \left opened.
func (p *parser) ends() bool {
	rest := string(p.in[p.at:min(p.at+6, len(p.in))])
	return rest[0] == '&' || strings.HasPrefix(rest, `\\`) || strings.HasPrefix(rest, `\end{`) ||
		strings.HasPrefix(rest, `\right`) && (p.at+6 >= len(p.in) || !unicode.IsLetter(p.in[p.at+6]))
}

// words tells whether a function's name and its neighbour would run together.
func words(before, next string) bool {
	return isFunction(next) && endsInWord(before) || endsInFunction(before) && next != "" && startsWord(next)
}

func isFunction(s string) bool { return len(s) > 1 && strings.Contains(functions, " "+s+" ") }

func endsInFunction(s string) bool {
	i := strings.LastIndexFunc(s, func(r rune) bool { return r > 'z' || !unicode.IsLetter(r) })
	return isFunction(s[i+1:])
}

func startsWord(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '√'
	}
	return false
}

func endsInWord(s string) bool {
	r := []rune(s)
	return len(r) > 0 && (unicode.IsLetter(r[len(r)-1]) || unicode.IsDigit(r[len(r)-1]) || r[len(r)-1] == ')')
}

// one reads one thing: a character, a group, a command.
func (p *parser) one(depth int) string {
	if depth > maxDepth {
		return p.fail()
	}
	c := p.next()
	switch {
	case c == 0:
		return p.fail()
	case c == '{':
		return p.group(depth)
	case c == '\\':
		return p.command(depth)
	case c == '^':
		return script(p.argument(depth), "^", superscripts)
	case c == '_':
		return script(p.argument(depth), "_", subscripts)
	case c == '\'':
		return "′"
	case c == '~':
		return " "
	case c == '=' || c == '<' || c == '>':
		return " " + string(c) + " "
	case strings.ContainsRune("}#%$&", c):
		return p.fail()
	}
	return string(c)
}

// group reads up to the brace that closes what was opened.
func (p *parser) group(depth int) string {
	s := p.all('}', depth+1)
	if p.peek() != '}' {
		return p.fail()
	}
	p.at++
	return s
}

// argument reads what a command or a script takes.
func (p *parser) argument(depth int) string {
	for p.peek() == ' ' {
		p.at++
	}
	return strings.TrimSpace(p.one(depth + 1))
}

// name reads a command's name, which swallows the spaces behind it.
func (p *parser) name() string {
	from := p.at
	for p.at < len(p.in) && p.in[p.at] < 0x80 && unicode.IsLetter(p.in[p.at]) {
		p.at++
	}
	if p.at == from && p.at < len(p.in) {
		p.at++
		return string(p.in[from:p.at])
	}
	name := string(p.in[from:p.at])
	for p.peek() == ' ' {
		p.at++
	}
	return name
}

func (p *parser) command(depth int) string {
	name := p.name()
	if s, ok := p.symbols[name]; ok {
		return s
	}
	if s, ok := p.relations[name]; ok {
		return " " + s + " "
	}
	if mark, ok := p.accents[name]; ok {
		return p.accent(p.argument(depth), mark)
	}
	if isFunction(name) {
		return name
	}
	switch name {
	case "cdot":
		return "·"
	case "frac", "dfrac", "tfrac", "cfrac":
		top, bottom := p.argument(depth), p.argument(depth)
		return wrap(top, false) + "/" + wrap(bottom, true)
	case "binom":
		return "C(" + p.argument(depth) + ", " + p.argument(depth) + ")"
	case "sqrt":
		return p.root(depth)
	case "text", "mathrm", "operatorname", "mathbf", "mathit", "mathsf", "mathtt", "textbf", "textit", "textrm", "boldsymbol", "mbox":
		return p.argument(depth)
	case "mathbb":
		return p.mapped(p.argument(depth), blackboard)
	case "mathcal", "mathscr":
		return p.mapped(p.argument(depth), calligraphic)
	case "tag":
		return "   (" + p.argument(depth) + ")"
	case "left":
		return p.fence(depth)
	case "begin":
		return p.matrix(depth)
	}
	return p.fail()
}

func (p *parser) accent(s, mark string) string {
	if len([]rune(s)) != 1 {
		return p.fail()
	}
	return s + mark
}

func (p *parser) root(depth int) string {
	sign := "√"
	if p.peek() == '[' {
		p.at++
		switch n := strings.TrimSpace(p.all(']', depth+1)); n {
		case "2":
		case "3":
			sign = "∛"
		case "4":
			sign = "∜"
		default:
			up, ok := mapAll(n, superscripts)
			if !ok {
				return p.fail()
			}
			sign = up + "√"
		}
		if p.peek() != ']' {
			return p.fail()
		}
		p.at++
	}
	return sign + wrap(p.argument(depth), true)
}

func (p *parser) mapped(s, pairs string) string {
	out, ok := mapAll(s, pairs)
	if !ok {
		return p.fail()
	}
	return out
}

// fence reads \left( … \right).
func (p *parser) fence(depth int) string {
	open := p.delimiter()
	inner := strings.TrimSpace(p.all(0, depth+1))
	if !strings.HasPrefix(string(p.in[p.at:]), `\right`) {
		return p.fail()
	}
	p.at += len(`\right`)
	return open + inner + p.delimiter()
}

func (p *parser) delimiter() string {
	for p.peek() == ' ' {
		p.at++
	}
	c := p.next()
	switch {
	case c == '.':
		return ""
	case c == '\\':
		if s, ok := p.symbols[p.name()]; ok {
			return s
		}
	case strings.ContainsRune("()[]|/<>", c) && c != 0:
		return string(c)
	}
	return p.fail()
}

// matrix reads a small matrix as rows between semicolons.
func (p *parser) matrix(depth int) string {
	name := p.environment()
	open, end := "", ""
	switch name {
	case "matrix", "smallmatrix":
	case "pmatrix":
		open, end = "(", ")"
	case "bmatrix":
		open, end = "[", "]"
	case "vmatrix":
		open, end = "|", "|"
	case "Bmatrix":
		open, end = "{", "}"
	case "cases":
		open = "{ "
	case "array":
		p.argument(depth) // how its columns stand
	default:
		return p.fail()
	}
	var rows strings.Builder
	for !p.failed {
		rows.WriteString(tidy(p.all(0, depth+1)))
		switch {
		case p.peek() == '&':
			p.at++
			rows.WriteString("  ")
		case strings.HasPrefix(string(p.in[p.at:]), `\\`):
			p.at += 2
			rows.WriteString("; ")
		case strings.HasPrefix(string(p.in[p.at:]), `\end{`+name+`}`):
			p.at += len(`\end{`) + len(name) + 1
			return open + strings.TrimSuffix(strings.ReplaceAll(rows.String(), "  ", " "), "; ") + end
		default:
			return p.fail()
		}
	}
	return ""
}

func (p *parser) environment() string {
	if p.peek() != '{' {
		return ""
	}
	from := p.at + 1
	for p.at < len(p.in) && p.in[p.at] != '}' {
		p.at++
	}
	name := string(p.in[min(from, p.at):p.at])
	p.at = min(p.at+1, len(p.in))
	return name
}

// Superscript and Subscript write text as LaTeX's ^ and _ do: by letters that are raised or
// lowered, or by a sign where there are none.
func Superscript(text string) string { return script(text, "^", superscripts) }

// Subscript is described at Superscript.
func Subscript(text string) string { return script(text, "_", subscripts) }

// script writes a super- or subscript with the letters for it, or with a sign.
func script(s, sign, pairs string) string {
	if out, ok := mapAll(strings.ReplaceAll(s, " ", ""), pairs); ok {
		return out
	}
	if len([]rune(s)) == 1 {
		return sign + s
	}
	return sign + "(" + s + ")"
}

// mapAll maps each letter of s; ok is false if there is one without a partner.
func mapAll(s, pairs string) (string, bool) {
	to := map[rune]rune{}
	all := []rune(pairs)
	for i := 0; i+1 < len(all); i += 2 {
		to[all[i]] = all[i+1]
	}
	var b strings.Builder
	for _, r := range s {
		if to[r] == 0 {
			return "", false
		}
		b.WriteRune(to[r])
	}
	return b.String(), true
}

// wrap puts brackets around what would not hold together beside a fraction's bar or behind
// a root. Above the bar, letters and digits in a row do.
func wrap(s string, tight bool) string {
	letters, digits, other := 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r) || strings.ContainsRune(superscripts+subscripts, r) && r > 0x80 && !unicode.IsLower(r) || r == '∞':
		case unicode.IsDigit(r) || r == '.':
			digits++
		case unicode.IsLetter(r):
			letters++
		default:
			other++
		}
	}
	if other == 0 && (!tight || letters == 0 || letters == 1 && digits == 0) {
		return s
	}
	return "(" + s + ")"
}
