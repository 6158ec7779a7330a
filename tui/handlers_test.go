package tui

import (
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui/keymap"
)

func TestEveryActionOfTheTableHasAHandler(t *testing.T) {
	m := newModel(Options{Session: session.New(notebook.New(), &hosttest.Host{}, session.Options{})})
	bound := map[keymap.Action]bool{}
	for _, b := range m.table.Bindings() {
		bound[b.Action] = true
		if m.acts[b.Action] == nil && !strings.HasPrefix(string(b.Action), "answer: ") {
			t.Errorf("%q is bound to %s and does nothing", b.Action, b.ShowAll())
		}
	}
	for a := range m.acts {
		if !bound[a] {
			t.Errorf("no key does %q", a)
		}
	}
}
