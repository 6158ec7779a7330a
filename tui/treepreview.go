package tui

import (
	"context"
	"path"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/preview"
)

// previewedMsg brings the preview of a file.
type previewedMsg struct {
	path    string
	preview preview.Preview
	err     error
}

// preview shows a file in the pane below, away from this goroutine: it may be far away.
func (m *Model) preview(p string) tea.Cmd {
	files := m.opt.Files
	m.setHint("reading " + render.Sanitize(path.Base(p)))
	return m.doFree(func(ctx context.Context) tea.Msg {
		v, err := preview.Read(ctx, files, p)
		return previewedMsg{p, v, err}
	})
}

func (m *Model) previewed(msg previewedMsg) {
	m.setHint("")
	if msg.err != nil {
		m.say(failure, plainError(msg.err))
		return
	}
	m.openPager(msg.preview.Block(m.look.theme, m.pictures))
	m.pane.title = render.Sanitize(path.Base(msg.path)) + " · " + msg.preview.What + " · "
}
