package themes

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for _, c := range []struct {
		style Style
		want  string
	}{
		{Style{}, "x"},
		{Style{FG: "75", Bold: true}, "\x1b[1;38;5;75mx\x1b[m"},
		{Style{BG: "24"}.Over(Style{FG: "75", BG: "1", Italic: true}), "\x1b[3;38;5;75;48;5;24mx\x1b[m"},
	} {
		if got := c.style.Render("x"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		if th, ok := Named(name); !ok || th.Name != name {
			t.Errorf("%s: %q, %v", name, th.Name, ok)
		}
	}
	if _, ok := Named("no such"); ok {
		t.Error("found a theme that is not there")
	}
}

func TestColours(t *testing.T) {
	for _, name := range Names() {
		th, _ := Named(name)
		v := reflect.ValueOf(th)
		for i := range v.NumField() {
			s, ok := v.Field(i).Interface().(Style)
			if !ok {
				continue
			}
			for _, c := range []Color{s.FG, s.BG} {
				// Below 16 the terminal's own scheme would decide what is readable.
				if n, err := strconv.Atoi(string(c)); c != "" && (err != nil || n < 16 || n > 255) {
					t.Errorf("%s.%s: colour %q", name, v.Type().Field(i).Name, c)
				}
				if th.NoColor && c != "" {
					t.Errorf("%s.%s has a colour", name, v.Type().Field(i).Name)
				}
			}
		}
	}
}

// TestNoLiteralColoursElsewhere reads the other rooms that draw.
func TestNoLiteralColoursElsewhere(t *testing.T) {
	literal := regexp.MustCompile(`"#[0-9a-fA-F]{6}"|\\x1b\[[0-9;]*[34][0-9;]*m|lipgloss\.Color\(|(FG|BG):\s*"`)
	for _, room := range []string{"../render", "../tui"} {
		err := filepath.WalkDir(room, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil // a room that is not there yet has no colours
			}
			text, err := os.ReadFile(path)
			if hit := literal.Find(text); hit != nil {
				t.Errorf("%s has the literal colour %q", path, hit)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
