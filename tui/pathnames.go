package tui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// pathNamesMsg is what a path that is being typed may go on as.
type pathNamesMsg struct {
	path   *pathLine
	before string   // the text that was completed
	dir    string   // its part up to the last separator
	names  []string // what fits, folders with a separator behind them
}

// completePath looks for what the path before the cursor begins, off this goroutine: a
// folder may be large or far away.
func (m *Model) completePath() tea.Cmd {
	p := m.path
	p.begin(false)
	m.dirty = true
	before, _ := p.line.Parts()
	home := m.opt.getenv("HOME")
	return m.do(func(context.Context) tea.Msg {
		dir, base := filepath.Split(before)
		return pathNamesMsg{path: p, before: before, dir: dir, names: pathNames(inHome(dir, home), base)}
	})
}

// pathNames lists the folders and notebooks in dir whose names begin with base.
func pathNames(dir, base string) []string {
	if dir == "" {
		dir = "."
	}
	entries, _ := os.ReadDir(dir) // nothing fits where nothing can be listed
	var names []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && name[0] == '.' || strings.ContainsFunc(name, unicode.IsControl) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			names = append(names, name+string(filepath.Separator))
		} else if strings.EqualFold(filepath.Ext(name), ".ipynb") {
			names = append(names, name)
		}
	}
	return names
}

// pathCompleted puts in what all names that fit begin with, and shows them if it is no
// more than what was typed.
func (m *Model) pathCompleted(msg pathNamesMsg) {
	p := m.path
	if p == nil || p != msg.path {
		return
	}
	before, _ := p.line.Parts()
	if before != msg.before {
		return // typing went on
	}
	m.dirty = true
	if len(msg.names) == 0 {
		p.why = "no folder and no notebook begins with that"
		return
	}
	p.line.KillBefore()
	p.line.Insert(msg.dir + commonStart(msg.names))
	if len(msg.names) > 1 {
		p.names = msg.names
	}
}

// commonStart is the longest text of whole characters that all names begin with.
func commonStart(names []string) string {
	first, last := slices.Min(names), slices.Max(names)
	n := 0
	for n < len(first) {
		_, size := utf8.DecodeRuneInString(first[n:])
		if !strings.HasPrefix(last, first[:n+size]) {
			break
		}
		n += size
	}
	return first[:n]
}
