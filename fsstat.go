package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newFSStat(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stat PATH…",
		Short: "Describe files and folders",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				for _, p := range args {
					e, err := f.Stat(ctx, p)
					if err != nil {
						return err
					}
					if err := printStat(e, asJSON); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON record a line")
	return cmd
}

func printStat(e fswatch.Entry, asJSON bool) error {
	if asJSON {
		return writeError(json.NewEncoder(os.Stdout).Encode(rowOfFile(e)))
	}
	show, row := nameFilter(), rowOfFile(e)
	_, err := fmt.Printf("path         %s\ntype         %s%s\nsize         %d\npermissions  %s\nowner        %s:%s\nmodified     %s\n",
		show(e.Path), row.Type, remark(e, show), e.Size, shownMode(e), cmp.Or(e.Owner, "?"), cmp.Or(e.Group, "?"), shownTime(e.ModTime))
	for _, k := range slices.Sorted(maps.Keys(e.Meta)) {
		if err == nil {
			_, err = fmt.Printf("meta         %s=%s\n", show(k), show(e.Meta[k]))
		}
	}
	return writeError(err)
}

func newFSExists(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "exists PATH",
		Short: "Exit with 0 if something is there, else with 1",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				there, err := fswatch.Has(ctx, f, args[0])
				if err == nil && !there {
					return &batch.Error{Status: 1} // in silence: the status is the answer
				}
				return err
			})
		},
	}
}
