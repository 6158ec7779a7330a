package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

type runFlags struct {
	inplace, allowErrors bool
	timed                bool // --timeout was given
	out                  string
	timeout, request     limit
	carried              carried
}

func newRun(c *common) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a notebook's code cells in order, passing their output on",
		Long:  "Run runs all code cells of a notebook in order and passes their output on as it arrives.\nNothing is written unless --inplace or --out says where; then what was produced before a failure is saved all the same.",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.timed = cmd.Flags().Changed("timeout")
			return c.run(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().BoolVar(&f.inplace, "inplace", false, "save the outputs into FILE")
	cmd.Flags().StringVar(&f.out, "out", "", "save the notebook with its outputs to this `FILE`")
	cmd.Flags().BoolVar(&f.allowErrors, "allow-errors", false, "go on after a cell that fails, and exit with 0")
	f.carried.add(cmd.Flags())
	addContext(cmd, c)
	addTimeouts(cmd, &f.timeout, &f.request)
	return cmd
}

func addTimeouts(cmd *cobra.Command, timeout, request *limit) {
	limitFlag(cmd.Flags(), timeout, "timeout", 0, "seconds a cell may take from its start; 0 = no limit")
	limitFlag(cmd.Flags(), request, "request-timeout", 60, "seconds that connecting and sending may take; 0 = no limit")
}

func (c *common) run(ctx context.Context, path string, f runFlags) error {
	if f.inplace && f.out != "" {
		return errors.New("--inplace and --out exclude each other")
	}
	doc, file, err := read(path, false)
	if err != nil {
		return err
	}
	s, closeHost, err := c.session(ctx, doc, path, session.Options{
		Timeout: c.runLimit(f.timed, f.timeout), RequestTimeout: f.request.orForever(), GoOn: f.allowErrors, KeepSources: true,
	})
	if err != nil {
		return err
	}
	defer closeHost()
	defer s.Close()
	dir, err := c.workDir(path)
	if err != nil {
		return err
	}
	carry := &carrier{carried: f.carried, c: c, dir: dir, remote: s.Remote}
	ch, stop := signals()
	defer stop()
	n := batch.Notebook{
		Session: s, Streams: streams(), Signals: ch, AllowErrors: f.allowErrors,
		Note: note, Ready: carry.before, Done: carry.after,
	}
	if n.Save, err = saver(doc, file, f); err != nil {
		return err
	}
	return carry.verdict(n.Run(ctx))
}

// saver is how the run is saved; nil where nothing is to be written.
func saver(doc *notebook.Document, file *diskfile.File, f runFlags) (func(notebook.Snapshot) error, error) {
	if old := doc.Converted(); old > 0 && f.out == "" && f.inplace {
		return nil, fmt.Errorf("the file is nbformat %d and would become nbformat 4; --out FILE saves it elsewhere", old)
	}
	if f.out != "" {
		var err error
		if file, err = target(f.out); err != nil {
			return nil, err
		}
	} else if !f.inplace {
		return nil, nil
	}
	if why := doc.ReadOnly(); why != "" {
		return nil, fmt.Errorf("it cannot be saved: %s", why)
	}
	file.StateDir = stateDir()
	return func(s notebook.Snapshot) error { return save(file, s) }, nil
}

// target is the file that --out names: it may exist, its folder must.
func target(path string) (*diskfile.File, error) {
	_, file, err := diskfile.Read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("--out: the folder of %s: %w", path, err)
	}
	return diskfile.New(path), nil
}
