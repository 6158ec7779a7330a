package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
)

// pathLine is the line that takes the name of a file to save to.
type pathLine struct {
	line  lineedit.Line
	fresh bool           // what stands there is selected: typing replaces it
	then  func() tea.Cmd // after the save
	why   string         // it cannot be the name that was typed
	names []string       // what Tab could complete it to
}

const (
	pathLabel = "save as: "
	pathHelp  = "typing replaces the name, ← and → edit it, Tab completes a path"
)

// key is called before a key for the line acts: one that changes text replaces what is selected.
func (p *pathLine) key(k tea.KeyPressMsg, name string) {
	var trial lineedit.Line
	trial.Insert("a b")
	trial.Left()
	if editLine(&trial, k, name) {
		p.begin(trial.String() != "a b")
	}
}

// begin ends the selection, and what was said of the line before.
func (p *pathLine) begin(replace bool) {
	if p.fresh && replace {
		p.line = lineedit.Line{}
	}
	p.fresh, p.why, p.names = false, "", nil
}

// askPath opens the line, with the present name in it.
func (m *Model) askPath(then func() tea.Cmd) tea.Cmd {
	if m.doc.ReadOnly() != "" {
		m.say(failure, "not saved: the notebook is read-only: "+m.doc.ReadOnly())
		return nil
	}
	m.path = &pathLine{then: then}
	if m.file != nil {
		m.path.line.Insert(m.file.Path)
		m.path.fresh = true
	}
	m.keys.Reset()
	m.dirty = true
	return nil
}

func (m *Model) pathActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.SaveAs:       func() tea.Cmd { return m.askPath(nil) },
		keymap.SavePath:     m.savePath,
		keymap.CompletePath: m.completePath,
		keymap.LeavePath:    quietly(m.leavePath),
	}
}

func (m *Model) leavePath() {
	m.path = nil
	m.dirty = true
}

// savePath saves under the name that was typed. One that exists asks first.
func (m *Model) savePath() tea.Cmd {
	line := m.path
	path, then := expand(line.line.String(), m.opt.getenv("HOME")), line.then
	m.dirty = true
	if path == "" {
		return nil
	}
	if m.saving.active {
		m.setHint("a save is under way")
		return nil
	}
	if diskfile.IsRemote(path) {
		return m.saveRemote(path, then)
	}
	info, err := os.Stat(path)
	dir := filepath.Dir(path)
	if _, dirErr := os.Stat(dir); errors.Is(dirErr, fs.ErrNotExist) {
		m.path.why = fmt.Sprintf("the folder %s does not exist: mkdir -p makes it", dir)
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.leavePath()
		return m.saveNew(diskfile.New(path), then)
	case err != nil:
		m.path.why = fmt.Sprintf("not saved: %v", err)
		return nil
	case info.IsDir():
		m.path.why = path + " is a folder; name a file in it"
		return nil
	}
	m.leavePath()
	if own, err := os.Stat(m.ownPath()); err == nil && os.SameFile(own, info) {
		return m.userSave(then)
	}
	return m.ask(render.Sanitize(filepath.Base(path))+" exists:",
		choice{action: keymap.AnswerOverwrite, do: func() tea.Cmd {
			_, file, err := diskfile.Read(path)
			if err != nil {
				m.fail(fmt.Errorf("not saved: %w", err))
				return nil
			}
			return m.saveNew(file, then)
		}},
		choice{action: keymap.AnswerBack, do: quietly(func() { m.path = line })})
}

// saveRemote saves to an address. One that exists is not written over.
func (m *Model) saveRemote(path string, then func() tea.Cmd) tea.Cmd {
	if m.file != nil && path == m.file.Path {
		m.leavePath()
		return m.userSave(then)
	}
	if m.remote == nil {
		m.path.why = "not saved: a notebook is saved to a server only where one of it was opened"
		return nil
	}
	file, err := m.remote(path)
	if err != nil {
		m.path.why = fmt.Sprintf("not saved: %v", err)
		return nil
	}
	m.leavePath()
	return m.saveNew(file, then)
}

// saveNew saves to another file than the present one and goes on with that.
func (m *Model) saveNew(file *diskfile.File, then func() tea.Cmd) tea.Cmd {
	if m.file != nil {
		file.StateDir = m.file.StateDir
	}
	return m.saveTo(file, true, func() tea.Cmd {
		m.fail(m.closeRecovery())
		m.keeper.rec, m.keeper.waiting, m.keeper.holds = nil, false, false
		m.openRecovery()
		cmd := m.watch()
		if then != nil {
			return tea.Batch(cmd, then())
		}
		return cmd
	})
}

func (m *Model) ownPath() string {
	if m.file == nil {
		return ""
	}
	return m.file.Path
}

// expand makes a path of what was typed: ~ is the home folder, a name without an ending
// is a notebook's.
func expand(text, home string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	text = inHome(text, home)
	if info, err := os.Stat(text); err == nil && info.IsDir() || filepath.Ext(text) != "" || strings.HasSuffix(text, string(filepath.Separator)) {
		return text
	}
	return text + ".ipynb"
}

// inHome replaces a ~ at the start by the home folder.
func inHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return home + string(filepath.Separator) + rest
	}
	return path
}

// notes are the line, below what was wrong with it or what it could be.
func (p *pathLine) notes(width, n int, th themes.Theme) []string {
	before, after, _ := p.window(width)
	text := th.Accent.Render(before + after)
	if p.fresh {
		text = th.Selection.Render(before + after)
	}
	lines := []string{th.Accent.Render(ansi.Truncate(pathLabel, width, "")) + text}
	above, style := pathHelp, th.Muted
	switch {
	case p.why != "":
		above, style = p.why, th.Failed
	case len(p.names) > 0:
		above = strings.Join(p.names, "  ")
	case !p.fresh:
		return lines
	}
	if n > 1 {
		lines = append([]string{style.Render(ansi.Truncate(render.Sanitize(above), width, "…"))}, lines...)
	}
	return lines
}

// window is the part of the line that fits, before and after the cursor, and the cursor's column.
func (p *pathLine) window(width int) (before, after string, cursor int) {
	before, after = p.line.Parts()
	room := max(width-len(pathLabel)-1, 1)
	if over := ansi.StringWidth(before) - room; over > 0 {
		before = ansi.TruncateLeft(before, over+1, "…")
	}
	cursor = min(len(pathLabel)+ansi.StringWidth(before), max(width-1, 0))
	before = ansi.Truncate(before, max(width-len(pathLabel), 0), "")
	return before, ansi.Truncate(after, max(width-len(pathLabel)-ansi.StringWidth(before), 0), ""), cursor
}
