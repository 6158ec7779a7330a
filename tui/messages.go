package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
)

// kind is how grave a message is. Its mark tells it without colour too.
type kind string

const (
	info    kind = "i "
	warning kind = "! "
	failure kind = "✗ "
)

// message is something that stays on the screen until it is dismissed.
type message struct {
	kind kind
	text string
}

// messages is a stack of messages: the newest shows, dismissing it brings up the one before.
type messages struct{ stack []message }

// add puts a message on top. One that is there already only moves up.
func (s *messages) add(k kind, text string) {
	m := message{k, text}
	s.stack = slices.DeleteFunc(s.stack, func(o message) bool { return o == m })
	s.stack = append(s.stack, m)
}

// dismiss takes away the one that shows and reports whether there was one.
func (s *messages) dismiss() bool {
	if len(s.stack) == 0 {
		return false
	}
	s.stack = s.stack[:len(s.stack)-1]
	return true
}

// drop takes away a message that is no longer true.
func (s *messages) drop(text string) {
	s.stack = slices.DeleteFunc(s.stack, func(o message) bool { return o.text == text })
}

// lines draws the newest message in at most n lines.
func (s *messages) lines(width, n int, th themes.Theme) []string {
	if len(s.stack) == 0 || n <= 0 {
		return nil
	}
	m := s.stack[len(s.stack)-1]
	count := ""
	if len(s.stack) > 1 {
		count = fmt.Sprintf("(1/%d) ", len(s.stack))
	}
	style := map[kind]themes.Style{info: th.Message, warning: th.Warning, failure: th.Failed}[m.kind]
	lines := wrapPlain(string(m.kind)+count+cleanLines(m.text)+"  Esc", width, n)
	for i, l := range lines {
		lines[i] = style.Render(l)
	}
	return lines
}

// cleanLines makes text harmless line by line.
func cleanLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = render.Sanitize(l)
	}
	return strings.Join(lines, "\n")
}

// wrapPlain wraps text without escapes to at most n lines; what is over shows as …
func wrapPlain(text string, width, n int) []string {
	if width <= 0 {
		return nil
	}
	lines := strings.Split(ansi.Wrap(text, width, " "), "\n")
	if len(lines) > n {
		lines = lines[:n]
		lines[n-1] = ansi.Truncate(lines[n-1], width-1, "") + "…"
	}
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, width, "")
	}
	return lines
}

// say shows a message.
func (m *Model) say(k kind, text string) {
	m.messages.add(k, text)
	m.hint.text = "" // it is older
	m.dirty = true
}

// fail shows an error; nil shows nothing.
func (m *Model) fail(err error) {
	if err != nil {
		m.say(failure, err.Error())
	}
}
