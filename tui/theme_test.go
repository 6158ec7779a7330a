package tui_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nbterm/nbterm/themes"
)

func TestThemeFollowsTheBackground(t *testing.T) {
	const light, dark = "\x1b]11;rgb:ffff/ffff/f0f0\x1b\\", "\x1b]11;rgb:1000/1000/1000\x07"
	lightKeyword := []byte("38;5;" + string(themes.Light().Keyword.FG))
	for _, c := range []struct {
		reply  string
		follow bool
		env    []string
		light  bool
	}{{light, true, nil, true}, {dark, true, nil, false}, {light, false, nil, false}, {light, true, []string{"NO_COLOR=1"}, false}} {
		a := open(t, setup{file: file("import x"), follow: c.follow, env: c.env})
		asked := bytes.Contains(a.Bytes(), []byte("\x1b]11;?"))
		if asked != (c.follow && c.env == nil) {
			t.Errorf("%+v: asked: %v", c, asked)
		}
		a.Type(c.reply)
		a.Type("enter", "ctrl+l")
		if got := bytes.Contains(a.Bytes(), lightKeyword); got != c.light {
			t.Errorf("%+v: the light theme: %v", c, got)
		}
		a.has("import x")
	}
}

// With 16 colours the bar's grey would be the background itself.
func TestTheBarIsSeenWithSixteenColours(t *testing.T) {
	a := open(t, setup{file: file("import x"), follow: true, profile: colorprofile.ANSI})
	for _, reply := range []string{"", "\x1b]11;rgb:ffff/ffff/f0f0\x1b\\"} {
		a.Type(reply)
		lines := strings.Split(strings.TrimRight(a.Styles(), "\n"), "\n")
		if bar := lines[len(lines)-1]; bar != strings.Repeat("r", 80) || bytes.Contains(a.Bytes(), []byte("38;5")) {
			t.Errorf("after %q the status bar is drawn as %q", reply, bar)
		}
		if !bytes.Contains(a.Bytes(), []byte("\x1b[7m")) {
			t.Error("nothing is reversed")
		}
	}
}
