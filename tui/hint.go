package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/render"
)

// hintTime is how long a hint stands before messages that stay.
const hintTime = 4 * time.Second

// hint is a line that the next key takes away. It stands before the messages, being newer
// than they are, and gives way to them after a time.
type hint struct {
	text    string
	serial  int  // of the newest
	timed   int  // serial of the one that a timer runs for
	covered bool // the key that is being handled took away one with messages behind it
}

// hintOverMsg comes when the time of a hint is over: its serial.
type hintOverMsg int

// setHint shows a hint, or none for "".
func (m *Model) setHint(text string) {
	m.hint.text = text
	m.hint.serial++
	m.dirty = true
}

// dropHint takes the hint away for a key.
func (m *Model) dropHint() {
	m.hint.covered = m.hint.text != "" && len(m.messages.stack) > 0
	if m.hint.text != "" {
		m.setHint("")
	}
}

// timeHint lets a hint that hides messages give way to them. It is called after every message.
func (m *Model) timeHint() tea.Cmd {
	h := &m.hint
	if h.text == "" || len(m.messages.stack) == 0 || h.timed == h.serial {
		return nil
	}
	h.timed = h.serial
	return m.free.after(hintTime, hintOverMsg(h.serial))
}

func (m *Model) hintOver(msg hintOverMsg) {
	if int(msg) == m.hint.serial && len(m.messages.stack) > 0 {
		m.setHint("")
	}
}

// remarks are the newest message in at most n lines: the hint, else the top of the stack.
func (m *Model) remarks(n int) []string {
	if m.hint.text == "" || n <= 0 {
		return m.messages.lines(m.width, n, m.look.theme)
	}
	count := ""
	if k := len(m.messages.stack); k > 0 {
		count = fmt.Sprintf("(1/%d) ", k+1)
	}
	return []string{m.look.theme.Message.Render(wrapPlain(count+render.Sanitize(m.hint.text), m.width, 1)[0])}
}
