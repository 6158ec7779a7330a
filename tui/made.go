package tui

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// clockGrain is by how much a file's time may lie before the moment when it was written:
// file systems take it from a clock that ticks.
const clockGrain = 20 * time.Millisecond

// mostMade is how many files below a cell are named.
const mostMade = 20

// madeMsg brings the files that a run wrote.
type madeMsg struct {
	cell  notebook.CellKey
	names []string
}

// findMade looks in the notebook's folder for files that runs wrote which just ended.
func (m *Model) findMade(ends []session.Ended) tea.Cmd {
	dir, files := m.folder(), m.opt.Files
	if !m.opt.MadeFiles || files == nil || files.Capabilities().Remote || dir == "" {
		return nil
	}
	own := filepath.Base(m.file.Path)
	var cmds []tea.Cmd
	for _, e := range ends {
		st := m.session.Status(e.Cell)
		if e.Past || st.Started.IsZero() {
			continue
		}
		cmds = append(cmds, m.do(func(ctx context.Context) tea.Msg {
			list, _ := files.List(ctx, filepath.ToSlash(dir), fswatch.ListOptions{}) // nothing is named where it cannot be listed
			var names []string
			for _, f := range list {
				during := !f.ModTime.Before(st.Started.Add(-clockGrain)) && !f.ModTime.After(st.Ended.Add(clockGrain))
				if during && f.Type == fswatch.TypeFile && f.Name != own && !strings.HasPrefix(f.Name, ".") {
					names = append(names, f.Name)
				}
			}
			return madeMsg{e.Cell, names}
		}))
	}
	return tea.Batch(cmds...)
}

func (m *Model) made(msg madeMsg) {
	v, i := m.byKey[msg.cell], m.doc.Index(msg.cell)
	if v == nil || i < 0 || slices.Equal(v.made, msg.names) {
		return
	}
	v.made = msg.names
	v.touch()
	m.list.Changed(i)
	m.keepTail()
	m.dirty = true
}

// addMade names the files that the last run wrote.
func (v *cellView) addMade(width int) {
	if len(v.made) == 0 || v.status.Phase.Pending() {
		return
	}
	names := v.made[:min(len(v.made), mostMade)]
	line := "wrote " + strings.Join(names, ", ")
	if len(names) < len(v.made) {
		line += " …"
	}
	v.addLine(v.look.theme.Muted.Render(ansi.Truncate(render.Sanitize(strings.ToValidUTF8(line, "�")), width, "…")))
}
