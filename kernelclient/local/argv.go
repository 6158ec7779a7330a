package local

import (
	"path/filepath"
	"regexp"
	"strings"
)

// expandHome replaces a leading ~ by the home folder, as jupyter_client does.
func expandHome(arg string, e environ) string {
	if arg == "~" {
		return e.home()
	}
	if rest, ok := strings.CutPrefix(arg, "~/"); ok {
		return filepath.Join(e.home(), rest)
	}
	return arg
}

// fillArgv replaces {connection_file}, {resource_dir} and {prefix}. Unknown ones stay.
func fillArgv(argv []string, e environ, values map[string]string) []string {
	place := regexp.MustCompile(`\{[A-Za-z0-9_]+\}`)
	out := make([]string, len(argv))
	for i, arg := range argv {
		out[i] = place.ReplaceAllStringFunc(expandHome(arg, e), func(m string) string {
			if v, ok := values[m[1:len(m)-1]]; ok {
				return v
			}
			return m
		})
	}
	return out
}

// environment is the kernelspec's env block with variables of e filled in, as K=V.
func (s *spec) environment(e environ) []string {
	var vars []string
	for k, v := range s.file.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			continue // the system could not pass it on
		}
		vars = append(vars, k+"="+fillVars(v, e))
	}
	return vars
}

// fillVars replaces $NAME and ${NAME}; $$ is one $ and what is unknown stays: Python's
// string.Template.safe_substitute, which jupyter_client uses.
func fillVars(s string, e environ) string {
	ref := regexp.MustCompile(`\$(\$|[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)
	return ref.ReplaceAllStringFunc(s, func(m string) string {
		if m == "$$" {
			return "$"
		}
		if v, ok := e.lookup(strings.Trim(m[1:], "{}")); ok {
			return v
		}
		return m
	})
}
