package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/render"
)

// preparedMsg says that blocks can be drawn in whole now.
type preparedMsg struct {
	work []*render.Preparing
	then func() tea.Cmd
}

// whole calls then when blocks may be drawn in whole. Of very long outputs that were never
// drawn that takes time, and is done away from the event loop.
func (m *Model) whole(blocks []render.Block, width int, then func() tea.Cmd) tea.Cmd {
	var work []*render.Preparing
	var size int64
	for _, b := range blocks {
		if p := render.Prepare(b, width); p != nil {
			work = append(work, p)
			size += p.Len()
		}
	}
	if len(work) == 0 {
		return then()
	}
	m.setHint(fmt.Sprintf("reading %d MB of output", size>>20))
	return m.do(func(ctx context.Context) tea.Msg {
		for _, p := range work {
			if ctx.Err() != nil {
				break
			}
			p.Do()
		}
		return preparedMsg{work, then}
	})
}

func (m *Model) prepared(msg preparedMsg) tea.Cmd {
	for _, p := range msg.work {
		p.Done()
	}
	m.measureDrawn()
	m.dirty = true
	return msg.then()
}

// wholeCell calls then when all outputs of a cell may be drawn in whole. While that is
// under way for the cell, later calls do nothing.
func (m *Model) wholeCell(c *cellView, then func() tea.Cmd) tea.Cmd {
	if c.preparing {
		return nil
	}
	c.decode()
	c.preparing = true
	return m.whole(c.order, max(m.size.page-m.look.gutter(m.size.page), 1), func() tea.Cmd {
		c.preparing = false
		return then()
	})
}
