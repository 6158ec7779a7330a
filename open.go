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
	c.lasting = c.keeps()
	path, dir := begin(args)
	first, err := c.opened(ctx, tui.OpenAsk{Path: path}, settings)
	var format *notebook.FormatError
	if errors.As(err, &format) {
		return c.openBroken(ctx, path, format, settings)
	}
	if err != nil {
		return err
	}
	defer first.Close()
	if c.existing != "" { // it runs already, so its state is shown from the beginning
		if err := first.Session.Start(ctx); err != nil {
			return &batch.Error{Status: batch.StatusOf(err), Err: err}
		}
	}
	opt := tui.Options{
		Session: first.Session, File: first.File, Remote: first.Remote, Notices: first.Notices, StateDir: stateDir(),
		Watch: first.Watch, Open: c.opener(settings), RunningPaths: c.runningPaths,
	}
	if opt.Watch == nil {
		opt.Watch = watch
	}
	closeFiles, err := c.treeOf(&opt, dir, settings.Watch == watchPoll)
	if err != nil {
		return err
	}
	defer closeFiles()
	settings.apply(&opt)
	c.hosted.links.takeScreen()
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
