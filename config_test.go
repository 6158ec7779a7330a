package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/tui"
)

func TestConfig(t *testing.T) {
	for text, want := range map[string]string{ // the theme, the way, the seconds; or what the error says
		"":                                 "auto bell 10s",
		"# nothing\n":                      "auto bell 10s",
		"theme = 'light'\n":                "light bell 10s",
		"notify='osc9'\nnotify_after=2":    "auto osc9 2s",
		"notify_after = 0.5":               "auto bell 500ms",
		"\ntheme = light":                  "line 2: ",
		"colour = 'x'":                     `there is no setting "colour"`,
		"theme = 'pink'":                   `theme is "pink"; it is one of auto, dark, light`,
		"notify = 'loud'":                  `notify is "loud"; it is one of bell, osc9, off`,
		"watch = 'never'":                  `watch is "never"; it is one of auto, poll`,
		"notify_after = -1":                "notify_after is -1",
		"journal_limit = -3":               "journal_limit is -3",
		"output_limit = 0":                 "output_limit is 0",
		"output_limit = 8796093022208":     "output_limit is 8796093022208",
		"theme = 3":                        "cannot be used",
		"[hosts.a]\ntoken = 'x'":           "[hosts.a] has no url",
		"[hosts.a]\nurl = 'ftp://x'":       "[hosts.a] has no url that can be used",
		"[hosts.local]\nurl = 'http://x'":  "[hosts.local] has the name of",
		"[hosts.a]\nurl = 'http://x'\nb=1": `there is no setting "hosts.a.b"`,
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := readConfig(path)
		got := c.Theme + " " + c.Notify + " " + time.Duration(c.NotifyAfter*1e9).String()
		if err != nil {
			got = err.Error()
			if !strings.Contains(got, path) {
				t.Errorf("%q: %q does not name the file", text, got)
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if c, err := readConfig(filepath.Join(t.TempDir(), "none.toml")); err != nil || c.Theme != "auto" {
		t.Errorf("no file: %+v %v", c, err)
	}
	if _, err := readConfig(t.TempDir()); err == nil {
		t.Error("a folder was taken for the settings")
	}
}

// The example in the document can be used as it stands.
func TestConfigDocument(t *testing.T) {
	doc, err := os.ReadFile("docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := readConfig(path); err != nil || c.NotifyAfter != 60 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestConfigApply(t *testing.T) {
	var o tui.Options
	config{Theme: "auto", Notify: "osc9", NotifyAfter: 3}.apply(&o)
	if !o.FollowBackground || o.Notify != tui.NotifyOSC9 || o.NotifyAfter != 3*time.Second {
		t.Errorf("%+v", o)
	}
	config{Theme: "light"}.apply(&o)
	if o.FollowBackground || o.Theme.Name != "light" {
		t.Errorf("%+v", o.Theme.Name)
	}
}
