package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/charmbracelet/x/term"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/tui"
)

// open is `nbterm [FILE]`: the terminal program.
func (c *common) open(ctx context.Context, args []string) error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) {
		return errors.New("this needs a terminal; without one, `nbterm run FILE` runs a notebook and `nbterm show FILE` prints it")
	}
	settings, err := readConfig(configFile())
	if err != nil {
		return err
	}
	path := untitled()
	doc, file, remote := notebook.New(), (*diskfile.File)(nil), (func(string) (*diskfile.File, error))(nil)
	switch {
	case len(args) > 0 && diskfile.IsRemote(args[0]):
		if doc, file, remote, err = c.readRemote(args[0]); err != nil {
			return err
		}
		path = file.Path
	case len(args) > 0:
		path = args[0]
		doc, file, err = read(path, true)
		var format *notebook.FormatError
		if errors.As(err, &format) {
			return c.openBroken(ctx, path, format, settings)
		}
		if err != nil {
			return err
		}
	default:
		file = diskfile.New(path)
	}
	file.StateDir = stateDir()
	c.lasting = c.keeps()
	s, closeHost, err := c.session(ctx, doc, path, session.Options{
		AllowStdin: true, Sum: fmt.Sprintf("%x", file.Sum()), OutputLimit: settings.OutputLimit << 20,
	})
	if err != nil {
		return err
	}
	defer closeHost()
	if c.existing != "" { // it runs already, so its state is shown from the beginning
		if err := s.Start(ctx); err != nil {
			return &batch.Error{Status: batch.StatusOf(err), Err: err}
		}
	}
	opt := tui.Options{
		Session: s, File: file, Remote: remote, StateDir: stateDir(), Notices: notices(doc),
		Watch: watch,
	}
	settings.apply(&opt)
	spareMemory()
	return ended(tui.Run(ctx, opt))
}

// watch watches a notebook, wherever it lies.
func watch(path string) tui.Watcher {
	if diskfile.IsRemote(path) {
		return watchRemote()
	}
	return fswatch.WatchFile(path)
}

// untitled is a name for a new notebook that nothing here has yet, as JupyterLab counts.
func untitled() string {
	for n := 0; ; n++ {
		name := "Untitled.ipynb"
		if n > 0 {
			name = fmt.Sprintf("Untitled%d.ipynb", n)
		}
		if _, err := os.Lstat(name); err != nil { // a folder that cannot be read is told when it is saved
			return name
		}
	}
}

// spareMemory lets the heap grow by half before garbage is collected, not by its size: most
// of it is the notebook, which stays. GOGC in the environment has the last word.
func spareMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// ended makes an error of how the program ended.
func ended(status int, err error) error {
	if err != nil {
		return &batch.Error{Status: batch.Status(status), Err: err}
	}
	if status != 0 {
		return &batch.Error{Status: batch.Status(status)}
	}
	return nil
}

// notices is what is to be said of a document when it opens.
func notices(doc *notebook.Document) []string {
	list := doc.Notices()
	if why := doc.ReadOnly(); why != "" {
		list = append(list, fmt.Sprintf("read-only: %s", why))
	}
	return list
}
