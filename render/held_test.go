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
