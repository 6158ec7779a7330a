package tui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// attached is a notebook of one Markdown cell that shows a file attached to it.
const attached = `{"cells":[{"cell_type":"markdown","id":"a","metadata":{},"source":"A dot:\n\n![dot](attachment:dot.png)",
 "attachments":{"dot.png":{"image/png":"` + square + `"}}}],"metadata":{},"nbformat":4,"nbformat_minor":5}`

func TestAttachedPicture(t *testing.T) { // A29
	a := open(t, setup{file: attached, profile: colorprofile.TrueColor})
	a.shows("A dot:", "[dot.png 8x8, image/png, 74 B]")
	if n := strings.Count(string(a.Bytes()), "48;2;"); n < 4 {
		t.Errorf("%d coloured runs: the picture is not drawn", n)
	}
	a.Type("enter", "end", "x", "esc", "ctrl+s")
	if !strings.Contains(a.saved(), square) || !strings.Contains(a.saved(), "attachment:dot.png)x") && !strings.Contains(a.saved(), "A dot:x") {
		t.Errorf("saved: %s", a.saved())
	}
	a = open(t, setup{file: attached, profile: colorprofile.TrueColor, env: []string{"NBTERM_IMAGES=kitty"}})
	a.shows("[dot.png 8x8, image/png, 74 B]")
	if !strings.Contains(string(a.Bytes()), "\x1b_G") {
		t.Error("the picture was not sent")
	}
	a = open(t, setup{file: attached, profile: colorprofile.Ascii})
	a.shows("[dot.png 8x8, image/png, 74 B]")
	if strings.Contains(string(a.Bytes()), "48;2;") {
		t.Error("colours on a terminal without any")
	}
}
