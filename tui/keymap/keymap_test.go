package keymap

import (
	"fmt"
	"strings"
	"testing"
)

func TestPress(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"j", "next"},
		{"g g", "first"},
		{"g", ""},
		{"g q", "quit"},
		{"g d d", "delete"},
		{"d x", "cut"},
		{"i i", "interrupt by name"},
		{"0 0", "restart"},
		{"0 R", "restart and run all"},
		{"0 j", "next"},
		{"0 g g", "first"},
		{"g esc", ""},
		{"g esc g", ""},
		{"esc", "dismiss"},
		{"alt+j", "dismiss next"},
		{"alt+g g", "dismiss first"},
		{"alt+enter", "run and insert"},
		{"alt+up", "move up"},
		{"shift+enter", "run and next"},
		{"ctrl+j", "run and stay"},
		{"ctrl+c", "interrupt"},
		{"€", ""},
		{"alt+€", "dismiss"},
	} {
		r := NewResolver(Default())
		var got []string
		for key := range strings.SplitSeq(c.keys, " ") {
			for _, a := range r.Press(Command, key) {
				got = append(got, string(a))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, s, c.want)
		}
	}
}

func TestModesShadowEverywhere(t *testing.T) {
	r := NewResolver(Default())
	for _, c := range []struct {
		mode Mode
		key  string
		want Action
	}{
		{Prompt, "ctrl+c", Interrupt},
		{Prompt, "enter", Answer},
		{Question, "s", AnswerSave},
		{Question, "esc", AnswerBack},
		{Help, "q", CloseHelp},
		{Help, "ctrl+q", Quit},
	} {
		got := r.Press(c.mode, c.key)
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s in %s mode: %q, want %q", c.key, c.mode, got, c.want)
		}
	}
	if got := r.Press(Prompt, "j"); got != nil {
		t.Errorf("a letter in prompt mode acts: %q", got)
	}
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]Action{}
	table := Default()
	for _, b := range table.Bindings() {
		if b.Help == "" || b.Group == "" || len(b.Keys) == 0 {
			t.Errorf("%q lacks help, group or keys", b.Action)
		}
		for _, seq := range b.Keys {
			id := fmt.Sprint(b.Mode, " ", seq)
			if other, twice := seen[id]; twice {
				t.Errorf("%s is bound to %q and %q", id, other, b.Action)
			}
			seen[id] = b.Action
			if first, _, two := strings.Cut(seq, " "); two {
				if a, ok := table.lookup(b.Mode, first); ok {
					t.Errorf("%q begins %q and acts by itself as %q", first, seq, a)
				}
			}
		}
	}
}

func TestShow(t *testing.T) {
	for seq, want := range map[string]string{
		"g g": "gg", "0 R": "0R", "shift+enter": "Shift-Enter", "ctrl+c": "Ctrl-C",
		"alt+up": "Alt-↑", "ctrl+shift+down": "Ctrl-Shift-↓", "space": "Space", "pgdown": "PgDn",
		"delete": "Del", "f1": "F1", "[": "[", "esc": "Esc",
	} {
		if got := Show(seq); got != want {
			t.Errorf("%s: %q, want %q", seq, got, want)
		}
	}
}
