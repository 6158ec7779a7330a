package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/tui/keymap"
)

// question is something that the user must answer before the program goes on.
type question struct {
	text    string
	choices []choice
}

// choice is one answer. The key for it is in the key table.
type choice struct {
	action keymap.Action
	do     func() tea.Cmd // nil: nothing
	label  string         // what it does, where the key table's word does not fit
	stays  bool           // the question stays open
}

// back is the answer that changes nothing.
func back() choice { return choice{action: keymap.AnswerBack} }

func (m *Model) ask(text string, choices ...choice) tea.Cmd {
	m.question = &question{text: text, choices: choices}
	m.keys.Reset()
	m.dirty = true
	return nil
}

// answer takes an action of question mode. One that the question does not offer leaves it open.
func (m *Model) answer(a keymap.Action) tea.Cmd {
	q := m.question
	if q == nil {
		return nil
	}
	i := slices.IndexFunc(q.choices, func(c choice) bool { return c.action == a })
	if i < 0 {
		return nil
	}
	m.dirty = true
	if !q.choices[i].stays {
		m.question, m.compare = nil, nil
	}
	if q.choices[i].do == nil {
		return nil
	}
	return q.choices[i].do()
}

// unbroken is a space where no line is broken: a key stays with what it does.
const unbroken = "\u00a0"

// line is the question with the keys that answer it; its spaces may be unbroken.
func (q *question) line(t *keymap.Table) string {
	s := q.text
	for _, c := range q.choices {
		label := c.label
		if label == "" {
			label = helpOf(t, c.action)
		}
		s += "  " + strings.ReplaceAll(t.Keys(keymap.Question, c.action)+" "+label, " ", unbroken)
	}
	return s
}

func helpOf(t *keymap.Table, a keymap.Action) string {
	for _, b := range t.Bindings() {
		if b.Action == a {
			return b.Help
		}
	}
	return ""
}
