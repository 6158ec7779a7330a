package unsandbox

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// past is what later cells get of earlier ones, where the settings ask for it.
type past struct {
	cells []cell // that ended well, in their order
	files []File // carried along
}

// cell is code that ran.
type cell struct{ language, code string }

// apply adds to a program what it gets of earlier cells.
func (past *past) apply(p Program, s Settings) Program {
	p.Files = append(slices.Clone(p.Files), past.files...)
	if !s.Replay || marker(p.Language, "") == "" {
		return p
	}
	var earlier []string
	for _, c := range past.cells {
		if c.language == p.Language {
			earlier = append(earlier, c.code)
		}
	}
	if len(earlier) > 0 {
		p.own, p.replayed, p.sentinel = p.Code, len(earlier), newID()
		p.Code = strings.Join(earlier, "\n") + "\n" + marker(p.Language, p.sentinel) + "\n" + p.Code
	}
	return p
}

// take keeps what a job leaves to later cells, and returns it without what replayed cells put out.
func (past *past) take(x *run, j Job, s Settings) Job {
	p := x.program
	if p.replayed > 0 {
		j = p.cut(j)
	}
	if j.OK() && s.Replay {
		code := p.Code
		if p.replayed > 0 {
			code = p.own
		}
		past.cells = append(past.cells, cell{p.Language, code})
	}
	for _, a := range j.Artifacts {
		if a.Err == "" && a.Name != "" && len(a.Data) <= maxFile && matches(s.Carry, a.Name) {
			past.carry(File{a.Name, a.Data})
		}
	}
	return j
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name) // patterns were checked
		return ok
	})
}

// carry keeps a file for later cells, in place of an older one of its name. The oldest give
// way where they would be too much together.
func (past *past) carry(f File) {
	past.files = slices.DeleteFunc(slices.Clone(past.files), func(o File) bool { return o.Name == f.Name })
	past.files = append(past.files, f)
	total := 0
	for i := len(past.files) - 1; i >= 0; i-- {
		if total += len(past.files[i].Data); total > maxFiles {
			past.files = past.files[i+1:]
			return
		}
	}
}

// cut leaves out what replayed cells put out: all before the sentinel, on both streams.
// Without one an earlier cell failed, and its output is all that there is.
func (p Program) cut(j Job) Job {
	after := func(text string) (string, bool) {
		_, rest, found := strings.Cut(text, p.sentinel)
		return strings.TrimPrefix(strings.TrimPrefix(rest, "\r"), "\n"), found
	}
	stdout, ok1 := after(j.Stdout)
	stderr, ok2 := after(j.Stderr)
	if ok1 && ok2 {
		j.Stdout, j.Stderr = stdout, stderr
		return j
	}
	j.note = "one of the earlier cells that were replayed failed: this is its output"
	return j
}

// note says what a program was sent along with.
func (p Program) note() string {
	var said []string
	if p.replayed > 0 {
		said = append(said, fmt.Sprintf("replayed %d earlier cells, whose output is left out; lines in tracebacks count from the first of them", p.replayed))
	}
	if len(p.Files) > 0 {
		names := make([]string, len(p.Files))
		for i, f := range p.Files {
			names[i] = f.Name
		}
		said = append(said, "carried along to /tmp/input: "+strings.Join(names, ", "))
	}
	return strings.Join(said, "; ")
}

// marker is code that writes a line with the sentinel to both streams, "" for languages in
// which programs cannot be put together by writing them one after the other.
func marker(language, sentinel string) string {
	form := map[string]string{
		"python":     "import sys as _s; print('%[1]s', flush=True); print('%[1]s', file=_s.stderr, flush=True)",
		"javascript": "console.log('%[1]s'); console.error('%[1]s');",
		"ruby":       "STDOUT.puts '%[1]s'; STDERR.puts '%[1]s'; STDOUT.flush",
		"bash":       "echo '%[1]s'; echo '%[1]s' >&2",
		"r":          "cat('%[1]s\\n'); message('%[1]s')",
		"lua":        "print('%[1]s'); io.stderr:write('%[1]s\\n')",
		"perl":       "; { local $| = 1; print STDOUT \"%[1]s\\n\"; print STDERR \"%[1]s\\n\"; }",
		"julia":      "println(\"%[1]s\"); println(stderr, \"%[1]s\")",
		"php":        "; echo \"%[1]s\\n\"; fwrite(STDERR, \"%[1]s\\n\");",
		"tcl":        "puts {%[1]s}; puts stderr {%[1]s}",
		"raku":       "say '%[1]s'; note '%[1]s';",
	}[language]
	if form == "" {
		return ""
	}
	return fmt.Sprintf(form, sentinel)
}
