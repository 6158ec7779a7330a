package highlight

import "strings"

// delim is a kind of string or block comment.
type delim struct {
	open, close string
	kind        Kind
	multi       bool // it may go on in the next line
	escape      bool // a backslash takes the next byte with it
	lineStart   bool // it opens at the start of a line only
}

// end returns where the string or comment is over, given what follows its start; -1 if it goes on.
func (d *delim) end(text string) int {
	if d.escape {
		return endOf(text, quote(d.close))
	}
	if d.lineStart {
		if strings.HasPrefix(text, d.close) {
			return len(text)
		}
		return -1
	}
	if i := strings.Index(text, d.close); i >= 0 {
		return i + len(d.close)
	}
	return -1
}

// syntax is what must be known of a language to carry strings and comments from line to line.
type syntax struct {
	comments []string // what starts a comment up to the line's end
	delims   []delim  // longer ones first
	starts   [256]bool
}

func (s *syntax) isComment(line string, i int) bool {
	for _, c := range s.comments {
		if strings.HasPrefix(line[i:], c) {
			return true
		}
	}
	return false
}

// opens returns which delim opens at i, -1 for none.
func (s *syntax) opens(line string, i int) int {
	for k := range s.delims {
		d := &s.delims[k]
		if strings.HasPrefix(line[i:], d.open) && (!d.lineStart || i == 0) {
			return k
		}
	}
	return -1
}

func text(q string) delim { return delim{open: q, close: q, kind: String, escape: true} }

func long(q string) delim {
	return delim{open: q, close: q, kind: String, multi: true, escape: true}
}

func raw(q string) delim { return delim{open: q, close: q, kind: String, multi: true} }

func block(open, end string) delim {
	return delim{open: open, close: end, kind: Comment, multi: true}
}

// syntaxOf returns the syntax of a language named in lower case; an unknown one has the
// strings that most have, and no comments.
func syntaxOf(language string) syntax {
	s := syntax{delims: []delim{text(`"`), text(`'`)}}
	switch language {
	case "python":
		s = syntax{[]string{"#"}, []delim{long(`"""`), long(`'''`), text(`"`), text(`'`)}, s.starts}
	case "r", "ruby", "perl", "bash", "sh", "shell", "zsh", "yaml", "toml", "make", "makefile", "powershell", "tcl", "awk", "octave", "dockerfile":
		s.comments = []string{"#"}
	case "julia":
		s = syntax{[]string{"#"}, []delim{block("#=", "=#"), long(`"""`), long(`"`)}, s.starts}
	case "javascript", "js", "typescript", "ts", "jsx", "tsx", "go", "gophernotes":
		s = syntax{[]string{"//"}, []delim{block("/*", "*/"), long("`"), text(`"`), text(`'`)}, s.starts}
		if strings.HasPrefix(language, "go") {
			s.delims[1] = raw("`")
		}
	case "rust":
		s = syntax{[]string{"//"}, []delim{block("/*", "*/"), long(`"`)}, s.starts}
	case "scala", "kotlin", "swift", "groovy", "java", "c#", "csharp":
		s = syntax{[]string{"//"}, []delim{block("/*", "*/"), raw(`"""`), text(`"`), text(`'`)}, s.starts}
	case "c", "c++", "cpp", "dart", "php", "cuda", "json", "css":
		s = syntax{[]string{"//"}, []delim{block("/*", "*/"), text(`"`), text(`'`)}, s.starts}
	case "sql", "haskell", "lua":
		s.comments = []string{"--"}
		switch language {
		case "sql":
			s.delims = []delim{block("/*", "*/"), raw(`'`), raw(`"`)}
		case "haskell":
			s.delims = []delim{block("{-", "-}"), text(`"`)}
		case "lua":
			s.delims = []delim{block("--[[", "]]"), {open: "[[", close: "]]", kind: String, multi: true}, text(`"`), text(`'`)}
		}
	case "matlab", "tex", "latex", "erlang", "prolog":
		s = syntax{comments: []string{"%"}, delims: []delim{text(`"`)}}
	case "clojure", "scheme", "lisp", "common-lisp", "racket", "emacs-lisp":
		s = syntax{comments: []string{";"}, delims: []delim{long(`"`)}}
	case "html", "xml", "svg":
		s = syntax{delims: []delim{block("<!--", "-->")}}
	case "markdown", "text", "raw", "":
		s = syntax{delims: []delim{block("<!--", "-->"), {open: "```", close: "```", kind: String, multi: true, lineStart: true}}}
	}
	s.index()
	return s
}

// index notes the bytes that comments and delims start with.
func (s *syntax) index() {
	for _, c := range s.comments {
		s.starts[c[0]] = true
	}
	for _, d := range s.delims {
		s.starts[d.open[0]] = true
	}
}
