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
	line lineedit.Line
	then func() tea.Cmd // after the save
	why  string         // it cannot be the name that was typed
}

const pathLabel = "save as: "

// askPath opens the line, with the present name in it.
func (m *Model) askPath(then func() tea.Cmd) tea.Cmd {
	if m.doc.ReadOnly() != "" {
		m.say(failure, "not saved: the notebook is read-only: "+m.doc.ReadOnly())
		return nil
	}
	m.path = &pathLine{then: then}
	if m.file != nil {
		m.path.line.Insert(m.file.Path)
	}
	m.keys.Reset()
	m.dirty = true
	return nil
}

func (m *Model) pathActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.SaveAs:    func() tea.Cmd { return m.askPath(nil) },
		keymap.SavePath:  m.savePath,
		keymap.LeavePath: quietly(m.leavePath),
	}
}

func (m *Model) leavePath() {
	m.path = nil
	m.dirty = true
}

// savePath saves under the name that was typed. One that exists asks first.
func (m *Model) savePath() tea.Cmd {
	path, then := expand(m.path.line.String(), m.opt.getenv("HOME")), m.path.then
	m.dirty = true
	if path == "" {
		return nil
	}
	if m.saving.active {
		m.setHint("a save is under way")
		return nil
	}
	info, err := os.Stat(path)
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
		}}, back())
}

// saveNew saves to another file than the present one and goes on with that.
func (m *Model) saveNew(file *diskfile.File, then func() tea.Cmd) tea.Cmd {
	if m.file != nil {
		file.StateDir = m.file.StateDir
	}
	return m.saveTo(file, true, func() tea.Cmd {
		m.fail(m.closeRecovery(false))
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
	if rest, ok := strings.CutPrefix(text, "~/"); ok && home != "" {
		text = filepath.Join(home, rest)
	}
	if info, err := os.Stat(text); err == nil && info.IsDir() || filepath.Ext(text) != "" || strings.HasSuffix(text, string(filepath.Separator)) {
		return text
	}
	return text + ".ipynb"
}

// notes are the line, below what was wrong with it.
func (p *pathLine) notes(width, n int, th themes.Theme) []string {
	line, _ := p.draw(width)
	lines := []string{th.Accent.Render(line)}
	if p.why != "" && n > 1 {
		why := th.Failed.Render(ansi.Truncate(render.Sanitize(p.why), width, "…"))
		lines = append([]string{why}, lines...)
	}
	return lines
}

// draw is the line as it is shown, and the column of its cursor.
func (p *pathLine) draw(width int) (line string, cursor int) {
	before, after := p.line.Parts()
	room := max(width-len(pathLabel)-1, 1)
	if over := ansi.StringWidth(before) - room; over > 0 {
		before = ansi.TruncateLeft(before, over+1, "…")
	}
	return ansi.Truncate(pathLabel+before+after, width, ""), min(len(pathLabel)+ansi.StringWidth(before), width-1)
}
