package unsandbox

import (
	"slices"
	"strings"
)

// Languages are what the service runs.
type Languages struct {
	Names   []string
	Aliases map[string]string // the service's own other names
	Stale   bool              // from an old list: the service did not answer
}

// Resolve finds the service's name of a language, "" if it has none: a name of its list,
// one of its aliases, then what notebooks call it.
func (l Languages) Resolve(name string) string {
	if slices.Contains(l.Names, name) {
		return name
	}
	lower := strings.ToLower(strings.TrimSpace(name))
	if to, ok := l.Aliases[name]; ok {
		return to
	}
	if to, ok := l.Aliases[lower]; ok {
		return to
	}
	for _, known := range l.Names {
		if strings.EqualFold(known, lower) {
			return known
		}
	}
	if to := usualName(lower); slices.Contains(l.Names, to) {
		return to
	}
	return ""
}

// AliasesOf are the service's other names of a language, in their order.
func (l Languages) AliasesOf(name string) (out []string) {
	for alias, to := range l.Aliases {
		if to == name {
			out = append(out, alias)
		}
	}
	slices.Sort(out)
	return out
}

// usualName translates what notebooks call a language, "" if it is none of these.
func usualName(lower string) string {
	for _, l := range [][2]string{
		{"python", "python3 py ipython"},
		{"javascript", "js node"},
		{"typescript", "ts"},
		{"bash", "sh shell zsh shellscript"},
		{"cpp", "c++ cxx"},
		{"r", "ir"},
		{"go", "golang"},
		{"rust", "rs"},
		{"csharp", "cs c#"},
		{"fsharp", "f#"},
		{"haskell", "hs"},
		{"ruby", "rb"},
		{"perl", "pl"},
		{"julia", "jl"},
		{"commonlisp", "lisp"},
	} {
		for other := range strings.FieldsSeq(l[1]) {
			if other == lower {
				return l[0]
			}
		}
	}
	return ""
}

// wellKnown is what the service is known to run, for when it cannot be asked.
func wellKnown() []string {
	return strings.Fields(`python javascript typescript ruby perl php lua bash r elixir erlang tcl scheme powershell
		clojure commonlisp crystal groovy deno awk raku c cpp go rust java kotlin cobol fortran d zig nim v objc dart
		julia haskell ocaml fsharp csharp prolog forth`)
}
