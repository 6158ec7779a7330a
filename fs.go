package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newFS(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fs",
		Short: "List, read, write and watch files of this machine or of a host",
		Long:  "Fs works on the files of this machine, or with --host on those of a host. Relative paths begin at the working folder here, at the host's own folder there.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("it takes a command; `%s --help` lists them", cmd.CommandPath())
		},
	}
	cmd.PersistentFlags().StringVar(&c.fsUser, "user", "", "the `NAME` of a sandbox's user: whose home ~ is and who owns new files")
	limitFlag(cmd.PersistentFlags(), &c.fsRequest, "request-timeout", 60, "seconds that connecting, and sending each piece of a file, may take; 0 = no limit")
	limitFlag(cmd.PersistentFlags(), &c.fsSilence, "silence-timeout", 60, "seconds that a transfer may bring nothing; 0 = no limit")
	cmd.AddCommand(newFSLs(c), newFSStat(c), newFSExists(c), newFSCat(c), newFSPut(c), newFSGet(c), newFSMkdir(c), newFSMv(c), newFSRm(c), newFSWatch(c), newFSURL(c), newFSServe())
	return cmd
}

// withFiles does something with the files that --host names, and gives an error its status.
func (c *common) withFiles(ctx context.Context, do func(context.Context, fswatch.FS) error) error {
	return untilSignal(ctx, func(ctx context.Context) error {
		f, closeFiles, err := c.files(ctx)
		if err != nil {
			return err
		}
		defer closeFiles()
		return do(ctx, f)
	})
}

// untilSignal does something that a signal ends: then what was begun is undone.
func untilSignal(ctx context.Context, do func(context.Context) error) error {
	ch, stop := signals()
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	for stopping := false; ; {
		select {
		case s := <-ch:
			if stopping { // it hangs, as on a dead network mount
				return batch.Stopped(s)
			}
			stopping = true
			cancel(batch.Stopped(s))
		case err := <-done:
			if own := context.Cause(ctx); err != nil && own != nil {
				return own
			}
			return fsError(err)
		}
	}
}

// fsError gives an error of files its exit status and, where it has none, what to do next.
func fsError(err error) error {
	var own *batch.Error
	var timeout *fswatch.TimeoutError
	var e *fswatch.Error
	switch {
	case err == nil || errors.As(err, &own):
		return err
	case errors.As(err, &timeout):
		return &batch.Error{Status: batch.TimedOut, Err: err}
	case !errors.As(err, &e):
		return err
	}
	status := batch.Usage
	switch e.Kind {
	case fswatch.Unauthenticated, fswatch.Forbidden, fswatch.RateLimited, fswatch.Disconnect, fswatch.Protocol:
		status = batch.NoKernel
	case fswatch.NotFound, fswatch.Exists, fswatch.Invalid, fswatch.Permission, fswatch.Unsupported, fswatch.NoSpace, fswatch.Failed:
	}
	text := err.Error()
	if next := nextStep(e.Kind); e.Next == "" && next != "" {
		text += "; " + next
	}
	return &batch.Error{Status: status, Text: text}
}

func nextStep(k fswatch.Kind) string {
	switch k {
	case fswatch.NotFound:
		return "`nbterm fs ls` shows what is there"
	case fswatch.Exists:
		return "choose another name, or delete it first with `nbterm fs rm`"
	case fswatch.Permission:
		return "its owner can give the right to it"
	case fswatch.Unauthenticated:
		return "give a valid token with --token-file"
	case fswatch.Disconnect:
		return "see whether the host is up and try again"
	case fswatch.Invalid, fswatch.Forbidden, fswatch.RateLimited, fswatch.Unsupported, fswatch.NoSpace, fswatch.Protocol, fswatch.Failed:
	}
	return ""
}
