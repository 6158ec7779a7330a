package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui"
)

// openBroken shows why a file does not open and offers to look at it as text. What it
// says stays in the terminal when the program ends.
func (c *common) openBroken(ctx context.Context, path string, why *notebook.FormatError, settings config) error {
	err := fmt.Errorf("%s: %w", path, why)
	data, readErr := os.ReadFile(path)
	if readErr != nil {
		return err
	}
	s, closeHost, sessionErr := c.session(ctx, notebook.New(), path, session.Options{})
	if sessionErr != nil {
		return err
	}
	defer closeHost()
	broken := &tui.Broken{Path: path, Data: data, Why: why.Error(), Line: why.Line, Copies: copiesOf(path)}
	opt := tui.Options{Session: s, Broken: broken, StateDir: stateDir()}
	settings.apply(&opt)
	if status, runErr := tui.Run(ctx, opt); runErr != nil || status != 0 {
		return ended(status, runErr)
	}
	return err
}

// copiesOf finds notebooks that may be older states of a file: Jupyter's checkpoint, an
// editor's backup, what a save that was killed left, and recovery copies.
func copiesOf(path string) []string {
	dir, base := filepath.Split(path)
	name := base[:len(base)-len(filepath.Ext(base))]
	found := []string{filepath.Join(dir, ".ipynb_checkpoints", name+"-checkpoint"+filepath.Ext(base)), path + "~"}
	found = append(found, diskfile.Unfinished(path)...)
	kept, _ := diskfile.Copies(stateDir(), path) // none where they cannot be listed
	for _, k := range kept {
		found = append(found, k.Copy)
	}
	var out []string
	for _, f := range found {
		if data, err := os.ReadFile(f); err == nil {
			if _, err := notebook.Parse(data); err == nil {
				out = append(out, f)
			}
		}
	}
	return out
}
