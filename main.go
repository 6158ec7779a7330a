// Nbterm is a notebook for the terminal. This file and the small ones beside it are the
// command tree: flags and wiring; all else is in the rooms below.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
	_ "github.com/nbterm/nbterm/render/headroom"
)

func main() {
	// A reader that goes away is an error of Write, not the end of the process: what ran is
	// saved first. Not by Ignore: kernels would inherit that, and `yes | head` complain.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	root, closeLinks := newRoot()
	err := root.ExecuteContext(context.Background())
	closeLinks()
	os.Exit(int(report(err)))
}

// report says what failed in one line and returns the exit status.
func report(err error) batch.Status {
	if err == nil {
		return batch.OK
	}
	if errors.Is(err, syscall.EPIPE) {
		return batch.ReaderGone // a pager that was quit needs no message
	}
	if text := err.Error(); text != "" {
		note(text)
	}
	var own *batch.Error
	if errors.As(err, &own) {
		return own.Status
	}
	return batch.Usage
}

// note says something in one line on stderr. File names, kernels and code have their words
// in it, so nothing of it may drive the terminal.
func note(line string) { fmt.Fprintln(os.Stderr, "nbterm: "+render.Sanitize(line)) }

// newRoot is the command tree, and what is to be called when the command has ended.
func newRoot() (root *cobra.Command, closing func()) {
	var c common
	root = &cobra.Command{
		Use:     "nbterm [FILE | DIR | URL]",
		Version: version + revision(),
		Short:   "A notebook for the terminal",
		Long:    "nbterm opens, edits, runs and saves Jupyter notebooks in a terminal.\nWithout a FILE it begins a new notebook, written only when it is saved; of a DIR it\nshows the files beside one, of a URL the notebook that a Jupyter server's page shows.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%q is no command, and only one file can be opened; \"nbterm --help\" lists the commands", args[0])
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, args []string) error { return c.open(cmd.Context(), args) },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())
	})
	c.add(root)
	root.AddCommand(newRun(&c), newExec(&c), newShow(), newKernels(&c), newContexts(&c), newLs(&c), newAttach(&c), newStop(&c), newHost(), newUnsandbox(&c), newVersion())
	root.AddCommand(newFS(&c), newE2B(&c), newServe(&c), newSSH(&c), newLink())
	return root, c.hosted.links.close
}
