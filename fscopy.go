package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/render"
)

func newFSCat(c *common) *cobra.Command {
	var part fileRange
	cmd := &cobra.Command{
		Use:   "cat PATH…",
		Short: "Print files, or a part of them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				for _, p := range args {
					if err := catFile(ctx, f, p, fswatch.Range(part)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().Var(&part, "range", "only the bytes A-B, counted from 0; A- to the end, -N the last N (`A-B`)")
	return cmd
}

func catFile(ctx context.Context, f fswatch.FS, p string, part fswatch.Range) error {
	r, _, err := f.Open(ctx, p, part)
	if err != nil {
		return err
	}
	defer r.Close()
	out := &catOut{w: filtered(os.Stdout)}
	_, err = io.Copy(out, r)
	if out.err != nil {
		return writeError(out.err)
	}
	return err
}

// catOut is standard output, which remembers its own error among those of what is copied.
type catOut struct {
	w   io.Writer
	err error
}

func (o *catOut) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// fileRange is a flag that takes a part of a file, as HTTP writes them.
type fileRange fswatch.Range

// Set implements pflag.Value.
func (r *fileRange) Set(s string) error {
	wrong := errors.New("it takes A-B, A- or -N")
	from, to, ok := strings.Cut(s, "-")
	a, errA := strconv.ParseInt(from, 10, 64)
	b, errB := strconv.ParseInt(to, 10, 64)
	switch {
	case !ok || from == "" && to == "" || from != "" && errA != nil || to != "" && errB != nil:
		return wrong
	case from == "" && b > 0:
		*r = fileRange{Offset: -b}
	case to == "":
		*r = fileRange{Offset: a}
	case from != "" && b >= a && b < 1<<62:
		*r = fileRange{Offset: a, Length: b - a + 1}
	default:
		return wrong
	}
	return nil
}

// String implements pflag.Value.
func (r *fileRange) String() string { return "" }

// Type implements pflag.Value.
func (r *fileRange) Type() string { return "A-B" }

func newFSPut(c *common) *cobra.Command {
	var opt fswatch.WriteOptions
	cmd := &cobra.Command{
		Use:   "put LOCAL… [TARGET]",
		Short: "Copy files and folders of this machine to the host; - is standard input",
		Long:  "Put copies files and folders of this machine to the host: to TARGET, or into it if it is a folder or ends with a slash. One file without a TARGET goes to the host's folder.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				here, err := localfs.New(localfs.Options{})
				if err != nil {
					return err
				}
				return transfer{from: here, to: f, opt: opt}.all(ctx, args)
			})
		},
	}
	cmd.Flags().BoolVar(&opt.Gzip, "gzip", false, "compress on the way")
	cmd.Flags().StringToStringVar(&opt.Meta, "meta", nil, "metadata `K=V` for the files (repeatable)")
	return cmd
}

func newFSGet(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "get PATH… [LOCAL]",
		Short: "Copy files and folders of the host to this machine",
		Long:  "Get copies files and folders of the host to this machine: to LOCAL, or into it if it is a folder or ends with a slash. One path without a LOCAL goes to the working folder.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				here, err := localfs.New(localfs.Options{})
				if err != nil {
					return err
				}
				return transfer{from: f, to: here}.all(ctx, args)
			})
		},
	}
}

// transfer copies between two file systems as cp does.
type transfer struct {
	from, to fswatch.FS
	opt      fswatch.WriteOptions
}

// all copies all but the last of paths to the last, or the only one.
func (t transfer) all(ctx context.Context, paths []string) error {
	target, into := "", true
	if n := len(paths) - 1; n > 0 {
		target, paths = paths[n], paths[:n]
		e, err := t.to.Stat(ctx, target)
		switch {
		case err == nil && e.IsDir(), strings.HasSuffix(target, "/"):
		case err != nil && !errors.Is(err, fswatch.NotFound):
			return err
		case n > 1:
			return fmt.Errorf("%s is not a folder: several files cannot become one; end it with a slash to have it made", target)
		default:
			into = false
		}
	}
	for _, p := range paths {
		at := target
		if into && p == "-" {
			return errors.New("- has no name: give a TARGET that is no folder")
		}
		if into {
			at = within(target, path.Base(p))
		}
		if err := t.one(ctx, p, at); err != nil {
			return err
		}
	}
	return nil
}

// within is a name in a folder, "" being where relative paths begin.
func within(dir, name string) string {
	if dir == "" {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

func (t transfer) one(ctx context.Context, p, at string) error {
	if _, here := t.from.(*localfs.FS); here && p == "-" {
		_, err := t.to.Write(ctx, []fswatch.File{{Path: at, Body: os.Stdin, Size: -1}}, t.opt)
		return err
	}
	bar := newProgress(os.Stderr)
	defer bar.clear()
	return fswatch.Copy(ctx, t.from, p, t.to, at, fswatch.CopyOptions{
		WriteOptions: t.opt, Progress: bar.show,
		Skip: func(e fswatch.Entry) {
			bar.clear()
			note(fmt.Sprintf("left out: %s%s", e.Path, remark(e, render.Sanitize)))
		},
	})
}
