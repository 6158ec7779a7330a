package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nbterm/nbterm/render"
)

// imagesEnv says how pictures are drawn: "blocks" or "off"; anything else is left to nbterm.
const imagesEnv = "NBTERM_IMAGES"

// paintedMsg says that pictures were decoded.
type paintedMsg struct{ work []*render.Painting }

func (m *Model) openPictures() {
	m.look.pictures.Off = m.opt.getenv(imagesEnv) == "off" || m.opt.Profile != nil && *m.opt.Profile < colorprofile.ANSI
}

// paint decodes the pictures that the screen shows and has not yet, away from the event
// loop and one after the other. It makes the frame that is due anyway to learn which they are.
func (m *Model) paint() tea.Cmd {
	if m.painting || m.look.pictures.Off {
		return nil
	}
	m.View()
	work := m.look.pictures.Take()
	if len(work) == 0 {
		return nil
	}
	m.painting = true
	return m.do(func(ctx context.Context) tea.Msg {
		for _, w := range work {
			if ctx.Err() != nil {
				break
			}
			w.Do()
		}
		return paintedMsg{work}
	})
}

// painted shows what was decoded.
func (m *Model) painted(msg paintedMsg) {
	m.painting, m.dirty = false, true
	for _, w := range msg.work {
		if w.Done() { // it cannot be decoded, which takes fewer lines
			m.measureDrawn()
		}
	}
}

// measureDrawn measures the cells that were drawn afresh.
func (m *Model) measureDrawn() {
	for i, c := range m.cells {
		if c.decoded {
			c.touch()
			m.list.Changed(i)
		}
	}
}

// profiled learns how many colours the terminal has: without any, pictures are only named.
func (m *Model) profiled(p colorprofile.Profile) {
	if p >= colorprofile.ANSI || m.look.pictures.Off {
		return
	}
	m.look.pictures.Off = true
	for _, c := range m.cells {
		c.outputs, c.decoded = nil, false
	}
	m.measureDrawn()
	m.dirty = true
}
