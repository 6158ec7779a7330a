package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd"
)

func newFSURL(c *common) *cobra.Command {
	var expires limit
	var write bool
	cmd := &cobra.Command{
		Use:   "url PATH",
		Short: "Print an address under which a sandbox's file can be read or written without its token",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				return printURL(ctx, f, args[0], write, time.Duration(expires))
			})
		},
	}
	limitFlag(cmd.Flags(), &expires, "expires", 3600, "seconds that the address works; 0 = for ever")
	cmd.Flags().BoolVar(&write, "write", false, "for writing instead of reading")
	return cmd
}

// signer is a place that gives out addresses of its files.
type signer interface {
	SignedURL(ctx context.Context, path fswatch.Path, op envd.Operation, expires time.Time) (string, error)
}

func printURL(ctx context.Context, f fswatch.FS, path string, write bool, valid time.Duration) error {
	s, ok := f.(signer)
	if !ok {
		return &fswatch.Error{
			Kind: fswatch.Unsupported, What: "the files of " + f.Capabilities().Name + " have no addresses that could be given away",
			Next: "name a sandbox with --host",
		}
	}
	op, until := envd.Read, time.Time{}
	if write {
		op = envd.Write
	}
	if valid > 0 {
		until = time.Now().Add(valid)
	}
	address, err := s.SignedURL(ctx, path, op, until)
	if err != nil {
		return err
	}
	fmt.Println(address)
	return nil
}
