package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/editor"
)

func (m *Model) dropCompletion() {}

func (m *Model) complete() tea.Cmd { m.record(m.pen().Indent()); return nil }

func (m *Model) inspect() tea.Cmd { m.record(m.pen().Outdent()); return nil }

var _ editor.Edit
