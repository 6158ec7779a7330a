package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/themes"
)

// askBackground asks the terminal for its background, if the theme is to follow it.
func (m *Model) askBackground() tea.Cmd {
	if !m.opt.FollowBackground || m.opt.Theme.NoColor {
		return nil
	}
	return tea.RequestBackgroundColor
}

// background takes the theme for the terminal's background.
func (m *Model) background(msg tea.BackgroundColorMsg) {
	if !m.opt.FollowBackground || m.opt.Theme.NoColor || msg.Color == nil {
		return
	}
	th := themes.Light()
	if msg.IsDark() {
		th = themes.Dark()
	}
	if th.Name != m.look.theme.Name {
		m.setTheme(th)
	}
}

// setTheme draws everything anew in another theme.
func (m *Model) setTheme(th themes.Theme) {
	if m.sixteen {
		th = th.Sixteen()
	}
	m.theme = th
	m.eachTab(func() {
		m.look.setTheme(th)
		for _, v := range m.cells {
			v.outputs, v.decoded = nil, false
		}
		m.pane = nil // its text was drawn in the old one
		m.redraw()
	})
}
