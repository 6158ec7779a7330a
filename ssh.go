package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/sshlink"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newSSH(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ssh HOST [PATH]",
		Short: "Open a notebook or folder of another machine, with its kernels, through ssh",
		Long: "ssh shows notebooks of another machine here: kernels and files are there, and what you type\n" +
			"does not wait for the line. HOST is what ssh takes, so your settings, keys and jump hosts\n" +
			"count. nbterm has to be there, too; if it is missing you are asked whether to copy this one.\n" +
			"A lost connection is made anew by itself, and shows what ran meanwhile.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.overSSH(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&c.hosted.links.install, "install", false, "copy nbterm to ~/.local/bin there without asking, if it is missing")
	return cmd
}

// overSSH is `nbterm ssh`.
func (c *common) overSSH(ctx context.Context, args []string) error {
	c.hosted.url = args[0]
	if !strings.HasPrefix(c.hosted.url, "ssh://") {
		c.hosted.url = "ssh://" + c.hosted.url
	}
	t, err := c.hosted.resolve()
	if err != nil {
		return err
	}
	c.patientFiles()
	files, closeFiles, err := c.filesOf(ctx, t)
	if err != nil {
		return err
	}
	defer closeFiles()
	name := ""
	if len(args) == 2 {
		name = args[1]
	}
	file, folder, err := beginThere(ctx, files, name)
	if err != nil {
		return refused(err)
	}
	c.treeRoot = folder
	return c.open(ctx, []string{addressOf(t, file)})
}

// addressOf is the address of a file of another machine, as people write it.
func addressOf(t hosts.Target, file string) string {
	return t.URL + (&url.URL{Path: file}).EscapedPath()
}

// beginThere is begin for the files of another machine: a relative path begins at its home.
func beginThere(ctx context.Context, files fswatch.FS, name string) (file, folder string, err error) {
	if !path.IsAbs(name) {
		home, err := files.Root(ctx)
		if err != nil {
			return "", "", err
		}
		name = path.Join(home, name)
	}
	e, err := files.Stat(ctx, name)
	switch {
	case errors.Is(err, fswatch.NotFound):
		return name, "", nil
	case err != nil:
		return "", "", err
	case !e.IsDir():
		return name, "", nil
	}
	file, err = freeThere(ctx, files, name)
	return file, name, err
}

// freeThere is untitled for the files of another machine.
func freeThere(ctx context.Context, files fswatch.FS, dir string) (string, error) {
	var err error
	name := freeOf(path.Join(dir, "Untitled.ipynb"), func(p string) bool {
		_, err = files.Stat(ctx, p)
		return err == nil
	})
	if errors.Is(err, fswatch.NotFound) {
		err = nil
	}
	return name, err
}

// newLink is the command that ssh runs on the other machine.
func newLink() *cobra.Command {
	return &cobra.Command{
		Use:    "link",
		Short:  "Carry the connections of an nbterm on another machine (started by it through ssh)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return linked(cmd.Context())
		},
	}
}

// linked gives connections to the host process, which it starts where there is none.
func linked(ctx context.Context) error {
	opt, err := new(hostFlags).client(hosts.Target{Address: hosts.Address{Kind: hosts.Local}}, "", true)
	if err != nil {
		return err
	}
	client := bridge.New(opt)
	defer client.Close()
	_, err = client.Hello(ctx)
	var version *bridge.VersionError
	if err != nil && !errors.As(err, &version) { // the client will see that itself
		return errors.Join(sshlink.Fail(os.Stdout, err), &batch.Error{Status: batch.NoKernel, Err: err})
	}
	return servedUntilSignal(ctx, func(ctx context.Context) error {
		in, out := sshlink.Standard()
		return sshlink.Serve(ctx, in, out, client.Connection)
	})
}
