package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newStop(c *common) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stop ID | --all",
		Short: "End a kernel that was left running, or all of them and the host process",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return errors.New("it takes an ID as `nbterm ls` shows it, a kept context's name, or --all")
			}
			if all {
				return c.stopAll(cmd.Context())
			}
			return c.stop(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "end all of them, and the host process")
	return cmd
}

func (c *common) stopAll(ctx context.Context) error {
	client, err := c.running(ctx)
	if client == nil || err != nil {
		return err // without a host process everything is stopped
	}
	defer client.Close()
	if err := client.StopAll(ctx); err != nil {
		return &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	return nil
}

func (c *common) stop(ctx context.Context, name string) error {
	list, err := c.listed(ctx)
	if err != nil {
		return err
	}
	l, err := pick(list, name)
	if err != nil {
		return err
	}
	client, err := c.running(ctx)
	if client == nil || err != nil {
		return err // it ended meanwhile, and its kernels with it
	}
	defer client.Close()
	if err := client.Stop(ctx, l.ID, false); err != nil {
		return &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	return nil
}

// pick finds a context by its name, its id or the id's beginning.
func pick(list []bridge.Listed, name string) (bridge.Listed, error) {
	var found []bridge.Listed
	for _, l := range list {
		if string(l.ID) == name || l.Name == name {
			return l, nil
		}
		if name != "" && strings.HasPrefix(string(l.ID), name) {
			found = append(found, l)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return bridge.Listed{}, &batch.Error{Status: batch.NoKernel, Text: fmt.Sprintf("nothing with the id or name %q runs in the host process; `nbterm ls` lists what does", name)}
	}
	return bridge.Listed{}, &batch.Error{Status: batch.Usage, Text: fmt.Sprintf("%q is the beginning of %d ids; give more of it", name, len(found))}
}
