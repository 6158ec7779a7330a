package tree

import (
	"path"
	"strings"
)

// Rules are those of one .gitignore file, in the meaning that gitignore(5) gives them. The
// zero Rules ignore nothing.
type Rules struct{ patterns []pattern }

type pattern struct {
	segments []string // "**" stands for any number of them
	anchored bool     // counts from the folder of the file, else from any below it
	folders  bool     // only folders
	negate   bool     // takes back what an earlier one ignored
}

// ParseRules reads a .gitignore file.
func ParseRules(data []byte) Rules {
	var r Rules
	for line := range strings.SplitSeq(string(data), "\n") {
		if p, ok := parsePattern(strings.TrimSuffix(line, "\r")); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if rest, is := strings.CutPrefix(line, "!"); is {
		p.negate, line = true, rest
	}
	if rest, is := strings.CutSuffix(line, "/"); is {
		p.folders, line = true, rest
	}
	if line == "" {
		return p, false
	}
	p.anchored = strings.Contains(line, "/")
	p.segments = strings.Split(strings.TrimPrefix(line, "/"), "/")
	for i, s := range p.segments {
		p.segments[i] = strings.ReplaceAll(s, "[!", "[^") // as path.Match writes it
	}
	return p, true
}

// match tells whether a path, as segments from the folder of the rules, is meant.
func (p pattern) match(segments []string, folder bool) bool {
	switch {
	case p.folders && !folder:
		return false
	case !p.anchored:
		return matchSegment(p.segments[0], segments[len(segments)-1])
	}
	return matchSegments(p.segments, segments)
}

func matchSegments(pattern, segments []string) bool {
	for i, want := range pattern {
		if want == "**" {
			if i == len(pattern)-1 {
				return len(segments) > i // "a/**" is what lies in a, not a itself
			}
			for skip := i; skip <= len(segments); skip++ {
				if matchSegments(pattern[i+1:], segments[skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(segments) || !matchSegment(want, segments[i]) {
			return false
		}
	}
	return len(segments) == len(pattern)
}

// matchSegment matches one name. Most patterns are a name or an ending, which need no
// machinery.
func matchSegment(pattern, name string) bool {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == name
	}
	if end, is := strings.CutPrefix(pattern, "*"); is && !strings.ContainsAny(end, `*?[\`) {
		return strings.HasSuffix(name, end)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Ignoring says which entries of one folder are ignored: by the rules of the folder itself
// and of those above it. The zero Ignoring has no rules.
type Ignoring struct {
	all    bool    // the folder is ignored itself
	levels []level // from the top down
}

type level struct {
	rules Rules
	below []string // the folder, as segments from that of the rules
}

// Add puts the folder's own rules below those of the folders above it.
func (g Ignoring) Add(r Rules) Ignoring {
	if len(r.patterns) == 0 {
		return g
	}
	g.levels = append(g.levels[:len(g.levels):len(g.levels)], level{rules: r})
	return g
}

// Enter is what holds in a folder of this one.
func (g Ignoring) Enter(name string) Ignoring {
	in := Ignoring{all: g.Ignored(name, true)}
	for _, l := range g.levels {
		in.levels = append(in.levels, level{l.rules, append(l.below[:len(l.below):len(l.below)], name)})
	}
	return in
}

// Ignored tells whether an entry of the folder is ignored. The lowest file that says
// anything counts, and in it the last line that does; in a folder that is ignored nothing
// can be taken back.
func (g Ignoring) Ignored(name string, folder bool) bool {
	if g.all {
		return true
	}
	for i := len(g.levels) - 1; i >= 0; i-- {
		l := g.levels[i]
		segments := append(l.below[:len(l.below):len(l.below)], name)
		for j := len(l.rules.patterns) - 1; j >= 0; j-- {
			if p := l.rules.patterns[j]; p.match(segments, folder) {
				return !p.negate
			}
		}
	}
	return false
}
