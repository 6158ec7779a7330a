package editor

import "strings"

// custom is how a language is written, as far as typing goes.
type custom struct {
	comment, commentEnd string // of one line; "" where the language has none
	quotes              string // quotes that close themselves
	unit                string // one step of indentation
	colon               bool   // a colon at a line's end starts a block, by indentation
	triple              bool   // three quotes are a quote
}

// customOf returns the custom of a language named in lower case.
func customOf(language string) custom {
	c := custom{quotes: `"'`, unit: "    "}
	switch language {
	case "python":
		return custom{comment: "#", quotes: `"'`, unit: "    ", colon: true, triple: true}
	case "r", "bash", "sh", "shell", "zsh", "perl", "powershell", "tcl", "awk", "octave", "dockerfile":
		c.comment = "#"
	case "make", "makefile":
		c.comment, c.unit = "#", "\t"
	case "ruby", "yaml", "toml":
		c.comment, c.unit = "#", "  "
	case "julia":
		c.comment, c.quotes, c.triple = "#", `"`, true
	case "c", "c++", "cpp", "cuda", "java", "c#", "csharp", "php", "groovy":
		c.comment = "//"
	case "javascript", "js", "typescript", "ts", "jsx", "tsx":
		c.comment, c.unit, c.quotes = "//", "  ", "\"'`"
	case "scala", "kotlin", "swift", "dart":
		c.comment, c.unit = "//", "  "
	case "rust":
		c.comment, c.quotes = "//", `"`
	case "go", "gophernotes":
		c.comment, c.unit, c.quotes = "//", "\t", "\"'`"
	case "sql":
		c.comment = "--"
	case "haskell", "lua":
		c.comment, c.unit = "--", "  "
	case "matlab", "tex", "latex", "erlang", "prolog":
		c.comment, c.quotes = "%", `"`
	case "clojure", "scheme", "lisp", "common-lisp", "racket", "emacs-lisp":
		c.comment, c.quotes, c.unit = ";", `"`, "  "
	case "html", "xml", "svg":
		c.comment, c.commentEnd, c.quotes, c.unit = "<!--", "-->", `"`, "  "
	case "css":
		c.comment, c.commentEnd, c.unit = "/*", "*/", "  "
	case "markdown":
		c.comment, c.commentEnd, c.quotes, c.unit = "<!--", "-->", "", "  "
	case "", "raw", "text":
		c.quotes = ""
	}
	return c
}

// custom returns how the language at hand is written.
func (e *Editor) custom() custom { return customOf(e.language()) }

// unit is one step of indentation: the options', or what the first indented line shows,
// or the language's.
func (e *Editor) unit() string {
	if e.opt.IndentUnit != "" {
		return e.opt.IndentUnit
	}
	unit := e.custom().unit
	for _, line := range e.lines[:min(len(e.lines), 200)] {
		n := indentOf(line)
		if n == 0 || n == len(line) {
			continue
		}
		if line[0] == '\t' {
			return "\t"
		}
		if unit == "\t" || n == 2 {
			return strings.Repeat(" ", min(n, 8))
		}
		return unit
	}
	return unit
}

// isLeaving tells a Python statement that nothing in its block can follow.
func isLeaving(code string) bool {
	first := code
	if i := strings.IndexFunc(code, func(r rune) bool { return !isWord(r) }); i >= 0 {
		first = code[:i]
	}
	switch first {
	case "return", "pass", "break", "continue", "raise":
		return true
	}
	return false
}

// isStringPrefix tells what may stand before a Python quote.
func isStringPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "r", "b", "f", "u", "t", "rb", "br", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}
