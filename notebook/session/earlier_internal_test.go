package session

import (
	"fmt"
	"testing"

	"github.com/nbterm/nbterm/notebook"
)

func TestEarlierIsBounded(t *testing.T) {
	r := earlier{cells: map[notebook.CellKey]*past{}, limit: 1000}
	put := func(key notebook.CellKey, run int, bytes int64) {
		if r.cells[key] == nil {
			r.cells[key] = &past{}
		}
		r.keep(key, r.cells[key], Earlier{Run: run, bytes: bytes})
	}
	held := func(key notebook.CellKey) string {
		text := ""
		for _, e := range r.cells[key].kept {
			text += fmt.Sprint(e.Run, " ")
		}
		return text
	}
	put("b", 1, 10)
	for run := range MaxEarlier + 5 {
		put("a", run, 1)
	}
	if len(r.cells["a"].kept) != MaxEarlier || r.cells["a"].kept[0].Run != 5 || held("b") != "1 " {
		t.Errorf("too many runs: %s and %s", held("a"), held("b"))
	}
	handed := r.cells["a"].kept
	put("c", 1, 965)
	put("b", 2, 15) // 1000 and 10: the first of b goes
	if held("b") != "2 " || held("c") != "1 " || len(r.cells["a"].kept) != MaxEarlier {
		t.Errorf("too many bytes: %s, %s and %s", held("a"), held("b"), held("c"))
	}
	put("b", 3, 1001)
	if held("b") != "2 " {
		t.Errorf("too large by itself: %s", held("b"))
	}
	put("b", 4, 1000)
	if held("b") != "4 " || held("a")+held("c") != "" || r.bytes != 1000 || len(r.order) != 1 {
		t.Errorf("all the room: %s, %s and %s, %d bytes", held("a"), held("b"), held("c"), r.bytes)
	}
	if handed[0].Run != 5 || handed[MaxEarlier-1].Run != MaxEarlier+4 {
		t.Error("a list that was handed out changed")
	}
}
