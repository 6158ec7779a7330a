package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook/output"
	"github.com/nbterm/nbterm/themes"
	"github.com/nbterm/nbterm/tui"
)

// config is what the user's config file says; docs/config.md explains each setting.
type config struct {
	Theme       string  `toml:"theme"`
	Notify      string  `toml:"notify"`
	NotifyAfter float64 `toml:"notify_after"` // seconds
	OnQuit      string  `toml:"on_quit"`
	Watch       string  `toml:"watch"` // how the tree gets to know of changes
	TreeIcons   string  `toml:"tree_icons"`
	MadeFiles   bool    `toml:"made_files"`

	// In MiB: of what a cell puts out, and of what is kept of a kernel.
	OutputLimit  int64 `toml:"output_limit"`
	JournalLimit int64 `toml:"journal_limit"`

	Hosts map[string]hostSettings `toml:"hosts"` // by their names
}

// The ways of the setting watch.
const (
	watchAuto = "auto" // the system tells, else it is looked for
	watchPoll = "poll" // it is looked for: not every file system that tells tells all
)

// hostSettings are a host that has a name.
type hostSettings struct {
	URL string `toml:"url"`
	hosts.Settings
}

// defaults are the settings of who has none.
func defaults() config {
	return config{Theme: "auto", Notify: string(tui.NotifyBell), NotifyAfter: 10, OnQuit: string(tui.AskOnQuit), Watch: watchAuto, TreeIcons: tui.TreeASCII, OutputLimit: output.DefaultLimit >> 20, JournalLimit: 2 << 10}
}

// configFile is where the settings are read from.
func configFile() string {
	return filepath.Join(xdg("XDG_CONFIG_HOME", ".config"), "nbterm", "config.toml")
}

// readConfig reads the settings. A file that is not there leaves the defaults; one that
// cannot be understood is an error, because a setting that is silently ignored is worse.
func readConfig(path string) (config, error) {
	c := defaults()
	meta, err := toml.DecodeFile(path, &c)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	var parse toml.ParseError
	if errors.As(err, &parse) {
		err = fmt.Errorf("line %d: %s", parse.Position.Line, parse.Message)
	}
	if keys := meta.Undecoded(); err == nil && len(keys) > 0 {
		err = fmt.Errorf("there is no setting %q; docs/config.md lists them", keys[0].String())
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return c, fmt.Errorf("the settings in %s cannot be used: %w", path, err)
	}
	return c, nil
}

func (c config) check() error {
	if err := oneOf("theme", c.Theme, append([]string{"auto"}, themes.Names()...)); err != nil {
		return err
	}
	if err := oneOf("notify", c.Notify, tui.NotifyWays()); err != nil {
		return err
	}
	if err := oneOf("on_quit", c.OnQuit, tui.OnQuitWays()); err != nil {
		return err
	}
	if err := oneOf("tree_icons", c.TreeIcons, []string{tui.TreeASCII, tui.TreeUnicode}); err != nil {
		return err
	}
	if err := oneOf("watch", c.Watch, []string{watchAuto, watchPoll}); err != nil {
		return err
	}
	if c.NotifyAfter < 0 {
		return fmt.Errorf("notify_after is %g; it is a number of seconds from 0", c.NotifyAfter)
	}
	for name, h := range c.Hosts {
		if _, _, err := hosts.Parse(h.URL); err != nil || h.URL == "" {
			return fmt.Errorf("[hosts.%s] has no url that can be used: %w", name, cmp.Or(err, errors.New("it is missing")))
		}
		if a, _, err := hosts.Parse(name); err == nil {
			return fmt.Errorf("[hosts.%s] has the name of another kind of host (%s)", name, a.Kind)
		}
	}
	return errors.Join(mebibytes("output_limit", c.OutputLimit), mebibytes("journal_limit", c.JournalLimit))
}

func mebibytes(name string, n int64) error {
	if n < 1 || n > math.MaxInt64>>20 {
		return fmt.Errorf("%s is %d; it is a number of MiB from 1", name, n)
	}
	return nil
}

func oneOf(name, value string, choices []string) error {
	for _, c := range choices {
		if value == c {
			return nil
		}
	}
	return fmt.Errorf("%s is %q; it is one of %s", name, value, strings.Join(choices, ", "))
}

// apply sets what the terminal program takes from the settings.
func (c config) apply(o *tui.Options) {
	o.Theme, o.FollowBackground = themes.Dark(), true
	if th, ok := themes.Named(c.Theme); ok {
		o.Theme, o.FollowBackground = th, false
	}
	o.OnQuit, o.TreeIcons, o.MadeFiles = tui.OnQuit(c.OnQuit), c.TreeIcons, c.MadeFiles
	o.Notify, o.NotifyAfter = tui.Notify(c.Notify), time.Duration(c.NotifyAfter*float64(time.Second))
}
