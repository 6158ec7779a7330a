package unsandbox

import (
	"bytes"
	"path"
	"strings"
)

// LanguageOf tells the language of a program, in the service's words: by its file's
// extension, else by its first line ("#!"); "" if neither says anything.
func LanguageOf(name string, text []byte) string {
	if l := languageOfName(name); l != "" {
		return l
	}
	return languageOfShebang(text)
}

// languageOfName goes by what follows the last dot of the whole name, in lower case, as the
// service's own clients do.
func languageOfName(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	ext := strings.ToLower(name[dot+1:])
	for _, l := range extensions() {
		for e := range strings.FieldsSeq(l[1]) {
			if e == ext {
				return l[0]
			}
		}
	}
	return ""
}

// extensions are languages and the extensions of their files.
func extensions() [][2]string {
	return [][2]string{
		{"python", "py"},
		{"javascript", "js"},
		{"typescript", "ts"},
		{"ruby", "rb"},
		{"php", "php"},
		{"perl", "pl"},
		{"bash", "sh"},
		{"r", "r"},
		{"lua", "lua"},
		{"go", "go"},
		{"forth", "4th forth fth"},
		{"crystal", "cr"},
		{"c", "c"},
		{"cpp", "cpp cc cxx"},
		{"java", "java"},
		{"kotlin", "kt"},
		{"objc", "m"},
		{"csharp", "cs"},
		{"fsharp", "fs"},
		{"haskell", "hs"},
		{"rust", "rs"},
		{"ocaml", "ml"},
		{"clojure", "clj"},
		{"scheme", "scm ss"},
		{"erlang", "erl"},
		{"elixir", "ex exs"},
		{"julia", "jl"},
		{"d", "d"},
		{"nim", "nim"},
		{"zig", "zig"},
		{"dart", "dart"},
		{"groovy", "groovy"},
		{"fortran", "f90 f95"},
		{"commonlisp", "lisp lsp"},
		{"cobol", "cob"},
		{"tcl", "tcl"},
		{"raku", "raku"},
		{"prolog", "pro p"},
		{"v", "v"},
		{"awk", "awk"},
		{"powershell", "ps1"},
	}
}

// languageOfShebang goes by the interpreter of a first line that begins with "#!".
func languageOfShebang(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return ""
	}
	words := strings.Fields(string(rest))
	if len(words) == 0 {
		return ""
	}
	interpreter := path.Base(words[0])
	if interpreter == "env" {
		interpreter = ""
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				interpreter = path.Base(w)
				break
			}
		}
	}
	interpreter = strings.TrimRight(interpreter, "0123456789.")
	for _, l := range interpreters() {
		for i := range strings.FieldsSeq(l[1]) {
			if i == interpreter {
				return l[0]
			}
		}
	}
	return ""
}

// interpreters are languages and the programs that run them.
func interpreters() [][2]string {
	return [][2]string{
		{"python", "python"},
		{"javascript", "node nodejs"},
		{"deno", "deno"},
		{"typescript", "ts-node"},
		{"ruby", "ruby"},
		{"perl", "perl"},
		{"php", "php"},
		{"bash", "bash sh dash zsh"},
		{"lua", "lua"},
		{"tcl", "tclsh"},
		{"raku", "raku"},
		{"julia", "julia"},
		{"r", "Rscript"},
		{"groovy", "groovy"},
		{"scheme", "guile"},
		{"commonlisp", "sbcl clisp"},
		{"ocaml", "ocaml"},
		{"elixir", "elixir"},
		{"erlang", "escript"},
		{"haskell", "runghc runhaskell"},
		{"awk", "awk"},
		{"powershell", "pwsh"},
		{"prolog", "swipl"},
	}
}
