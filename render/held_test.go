package render

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/mime/spill"
	"github.com/nbterm/nbterm/themes"
)

// What was spilled is drawn as before, and its drawing is not kept.
func TestSpilledOutputIsDrawnAndLetGo(t *testing.T) {
	var file spill.File
	defer file.Close()
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintln(&lines, "line", i)
	}
	for _, body := range []mime.Body{
		&mime.Data{Bundle: mime.Bundle{{Type: "text/plain", Value: rawjson.Quote(lines.String())}}},
		&mime.Error{Name: "E", Value: "v", Traceback: []string{lines.String()}},
	} {
		var th themes.Theme
		want := Output(body, th)
		output := mime.Hold(body, &file)
		b := OutputsWith([]mime.Output{{Body: output}}, th, nil)[0]
		for range 2 { // in memory, then on disk
			if h := b.Height(40); h != want.Height(40) || !slices.Equal(b.Lines(40, 0, h), want.Lines(40, 0, h)) {
				t.Errorf("%d lines, not %d: %q", h, want.Height(40), b.Lines(40, 0, 3))
			}
			if err := output.Spill(); err != nil {
				t.Fatal(err)
			}
		}
		if b.Height(40) != want.Height(40) {
			t.Error("another height")
		}
		runtime.GC()
		if h := b.(*held); h.strong != nil || h.weak.Value() != nil {
			t.Error("the drawing is still there")
		}
	}
}

// A wide table that came from a kernel scrolls sideways as that of a file does.
func TestHeldTableScrolls(t *testing.T) {
	var file spill.File
	defer file.Close()
	html := "<table><tr>"
	for i := range 40 {
		html += fmt.Sprintf("<td>column %d</td>", i)
	}
	body := &mime.Data{Bundle: mime.Bundle{{Type: "text/html", Value: rawjson.Quote(html + "</tr></table>")}}}
	b := OutputsWith([]mime.Output{{Body: mime.Hold(body, &file)}}, themes.Theme{}, nil)[0]
	first := b.Lines(60, 0, b.Height(60))
	if !Pan(b, 1) {
		t.Fatal("nothing moved")
	}
	if got := b.Lines(60, 0, b.Height(60)); slices.Equal(got, first) {
		t.Errorf("it shows the same: %q", got)
	}
	if !Pan(b, -1) || !slices.Equal(b.Lines(60, 0, b.Height(60)), first) {
		t.Error("it did not come back")
	}
}
