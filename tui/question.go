package tui

import (
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

// question is something that the user must answer before the program goes on.
type question struct {
	text    string
	choices []choice
	deaf    bool // it opened by itself just now: it takes no key, and does not show any
}

// askPause is how long a question that opened by itself takes no key: what is typed then
// was meant for something else.
const askPause = time.Second

// heedMsg comes when a question that opened by itself takes keys from then on.
type heedMsg struct{ question *question }

// openedByItself keeps the open question deaf for a while.
func (m *Model) openedByItself() tea.Cmd {
	if m.question == nil || m.opt.AskPause < 0 {
		return nil
	}
	m.question.deaf = true
	return m.jobs.after(m.opt.AskPause, heedMsg{m.question})
}

// heed shows the keys of a question: they work from now on.
func (m *Model) heed(msg heedMsg) {
	msg.question.deaf = false
	m.dirty = true
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
	if a == keymap.AnswerBack && m.compare != nil {
		m.compare = nil // back to the question
		return nil
	}
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

// lines are the question with the keys that answer it, in at most n lines; spaces may be
// unbroken. Where they are too few the text is cut, and only then what the answers do.
// comparing: two versions stand above it, which going back leaves first.
func (q *question) lines(t *keymap.Table, comparing bool, width, n int) []string {
	text, answers := render.Sanitize(q.text), q.answers(t, comparing)
	all := wrapPlain(text+"  "+strings.Join(answers, "  "), width, math.MaxInt)
	if len(all) <= n {
		return all
	}
	choices := wrapPlain(strings.Join(answers, "  "), width, math.MaxInt)
	if len(choices) > n {
		for i, a := range answers {
			answers[i], _, _ = strings.Cut(a, unbroken)
		}
		return wrapPlain(strings.Join(answers, " "), width, n)
	}
	if len(choices) == n {
		return choices
	}
	return append(wrapPlain(text, width, n-len(choices)), choices...)
}

// answers are the keys with what they do.
func (q *question) answers(t *keymap.Table, comparing bool) []string {
	out := make([]string, len(q.choices))
	for i, c := range q.choices {
		label := c.label
		if label == "" || comparing && c.action == keymap.AnswerBack {
			label = helpOf(t, c.action)
		}
		out[i] = strings.ReplaceAll(t.Keys(keymap.Question, c.action)+" "+label, " ", unbroken)
		if q.deaf { // their room is kept, so that nothing moves when they appear
			out[i] = strings.Repeat(unbroken, ansi.StringWidth(out[i]))
		}
	}
	return out
}

func helpOf(t *keymap.Table, a keymap.Action) string {
	for _, b := range t.Bindings() {
		if b.Action == a {
			return b.Help
		}
	}
	return ""
}
