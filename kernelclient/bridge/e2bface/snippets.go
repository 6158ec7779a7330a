package e2bface

import (
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// variable is one of the environment to be: unset where set is false.
type variable struct {
	name, value string
	set         bool
}

// prelude is the code that runs startup in a namespace of its own. A Python without IPython
// has nothing for it to change.
func prelude() string {
	return `exec("if 'get_ipython' in globals():\n` +
		` own = {'__name__': 'nbterm_startup'}; exec(compile(code, '<nbterm>', 'exec'), own); own['install'](get_ipython())", ` +
		`dict(globals(), code=` + python(startup) + `))`
}

// assignments is code that sets variables, "" for a language that nbterm knows no way in.
// Values are quoted, so that none can be code.
func assignments(language string, vars []variable) string {
	switch language {
	case "python":
		return assignPython(vars)
	case "javascript", "typescript":
		return each(vars, func(v variable) string { return "process.env[" + literal(v.name) + "] = " + literal(v.value) + ";" },
			func(v variable) string { return "delete process.env[" + literal(v.name) + "];" }) + "void 0"
	case "bash":
		named := vars[:0:0]
		for _, v := range vars {
			if shellName(v.name) {
				named = append(named, v)
			}
		}
		return each(named, func(v variable) string {
			return "export " + v.name + "='" + strings.ReplaceAll(v.value, "'", `'\''`) + "'"
		}, func(v variable) string { return "unset " + v.name })
	case "r":
		return each(vars, func(v variable) string {
			return "invisible(do.call(Sys.setenv, setNames(list(" + literal(v.value) + "), " + literal(v.name) + ")))"
		}, func(v variable) string { return "invisible(Sys.unsetenv(" + literal(v.name) + "))" })
	case "java":
		return each(vars, func(v variable) string {
			return "System.setProperty(" + literal(v.name) + ", " + literal(v.value) + ");"
		},
			func(v variable) string { return "System.clearProperty(" + literal(v.name) + ");" })
	}
	return ""
}

func each(vars []variable, set, unset func(variable) string) string {
	var b strings.Builder
	for _, v := range vars {
		if v.set {
			b.WriteString(set(v) + "\n")
		} else {
			b.WriteString(unset(v) + "\n")
		}
	}
	return b.String()
}

// assignPython leaves no name behind, and no result.
func assignPython(vars []variable) string {
	var lines strings.Builder
	lines.WriteString("import os\n")
	lines.WriteString(each(vars, func(v variable) string { return "os.environ[" + python(v.name) + "] = " + python(v.value) },
		func(v variable) string { return "os.environ.pop(" + python(v.name) + ", None)" }))
	return "exec(" + python(lines.String()) + ", {})"
}

// shellName tells whether a shell can have a variable of that name; else it would be code.
func shellName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// literal is a string literal of the languages whose literals are JSON's.
func literal(s string) string { return string(rawjson.AppendString(nil, s, true)) }

// python is s as a literal of Python: JSON's would make two characters of one beyond U+FFFF.
func python(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
