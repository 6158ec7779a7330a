package tui

import (
	"strings"
	"testing"

	"github.com/nbterm/nbterm/tui/keymap"
)

func TestFit(t *testing.T) {
	it := item{name: "run the cells above", detail: "Running", right: "<"}
	for typed, want := range map[string]int{
		"": fitsAtOnce, "RUN": fitsAtOnce, "run the c": fitsAtOnce, "ab run": fitsStarts, "rtca": fitsInitials, "rtc": fitsInitials,
		"bove": fitsName, "running": fitsWords, "< run": fitsWords, "rcab": fitsLetters, "zz": noFit, "r": fitsAtOnce, "u": fitsName, "w": noFit,
	} {
		if got := fit(it, typed); got != want {
			t.Errorf("%q fits %d, want %d", typed, got, want)
		}
	}
	ranked := rankItems([]item{{name: "run the cells above, all"}, {name: "fold all"}, {name: "run all", why: "no kernel"}, {name: "run all cells"}}, "rnll")
	if len(ranked) != 3 || ranked[0].name != "run all cells" || ranked[2].name != "run all" {
		t.Errorf("%d ranked, %q first", len(ranked), ranked[0].name)
	}
	if got := initials("fold (all) the äpfel-2"); got != "fatä2" {
		t.Errorf("initials %q", got)
	}
}

// Every action of the table that means something in a notebook can be called by name.
func TestPaletteReachesTheTable(t *testing.T) {
	m := newTestModel(t)
	names := map[string]bool{}
	for _, it := range m.actionItems() {
		names[it.name] = true
		if it.right == "" && !strings.HasPrefix(it.name, "pager") {
			t.Errorf("%s shows no key", it.name)
		}
	}
	acts := map[keymap.Action]bool{}
	for _, b := range m.table.Bindings() {
		acts[b.Action] = acts[b.Action] || names[b.Help]
	}
	for _, b := range m.table.Bindings() {
		if (b.Mode == keymap.Command || b.Mode == keymap.Everywhere || b.Mode == keymap.Edit) && !acts[b.Action] {
			t.Errorf("%q (%s mode) cannot be called by name", b.Action, b.Mode)
		}
	}
}
