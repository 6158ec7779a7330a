package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
)

func newFSMkdir(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "mkdir PATH…",
		Short: "Make folders and those above them; one that is there is fine",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				for _, p := range args {
					if _, err := f.Mkdir(ctx, p); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func newFSMv(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "mv FROM TO",
		Short: "Give a file or folder another path; a file that is there is replaced, a folder never",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				_, err := f.Move(ctx, args[0], args[1], fswatch.MoveOptions{Replace: true})
				return err
			})
		},
	}
}

func newFSRm(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "rm PATH…",
		Short: "Delete files, links and folders with all that is in them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				for _, p := range args {
					if _, err := f.Stat(ctx, p); err != nil { // what is not there was meant to be
						return err
					}
					if err := f.Remove(ctx, p); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
