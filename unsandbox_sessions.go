package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/unsandbox"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newUnsandboxSessions(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "List, create and delete sessions", Args: noVerb("list, create and delete"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newSessionsList(c), newSessionsCreate(c), newSessionsDelete(c))
	return cmd
}

func newSessionsList(c *common) *cobra.Command {
	return c.verb("list", "List the account's sessions", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			all, err := client.Sessions(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(append([]unsandbox.Session{}, all...))
			}
			rows := make([][]string, len(all))
			for i, s := range all {
				rows[i] = []string{s.ID, cmp.Or(s.Status, "-"), cmp.Or(s.Shell, "-"), cmp.Or(s.Network, "-"), left(s.Left)}
			}
			return printRows("SESSION\tSTATUS\tSHELL\tNETWORK\tLEFT", rows)
		})
}

// left is the time that a session has, "-" where it is not known.
func left(seconds int) string {
	if seconds <= 0 {
		return "-"
	}
	return age(time.Duration(seconds) * time.Second)
}

func newSessionsCreate(c *common) *cobra.Command {
	var s unsandbox.SessionSpec
	var ttl limit
	cmd := c.verb("create", "Create a session and print its id", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			s.TTL = time.Duration(ttl)
			made, err := client.CreateSession(ctx, s)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(made)
			}
			return printRows(made.ID, nil)
		})
	cmd.Flags().StringVar(&s.Shell, "shell", "", "the `SHELL` that it begins with")
	cmd.Flags().StringVar(&s.Multiplexer, "multiplexer", "", "tmux or screen: the shell outlasts a connection (`NAME`)")
	cmd.Flags().StringVar(&s.Network, "network", "", "zerotrust (none, the default) or semitrusted (`MODE`)")
	cmd.Flags().IntVar(&s.VCPU, "vcpu", 0, "1 to 8 processors (`N`)")
	limitFlag(cmd.Flags(), &ttl, "ttl", 0, "`SECONDS` that it lives; 0 is the service's hour")
	return cmd
}

func newSessionsDelete(c *common) *cobra.Command {
	return c.verb("delete ID", "Delete a session with its files", cobra.ExactArgs(1),
		func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
			return done(client.DeleteSession(ctx, args[0]), args[0], "deleted", asJSON)
		})
}

// done says what became of a thing of the service.
func done(err error, id, what string, asJSON bool) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(map[string]string{"id": id, "done": what})
	}
	note(id + " was " + what)
	return nil
}

func newUnsandboxSnapshots(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use: "snapshots", Short: "Copies of the disks of sessions and services", Args: noVerb("list, create, restore, clone, lock, unlock and delete"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newSnapshotsList(c), newSnapshotsCreate(c), newSnapshotsClone(c),
		c.verb("restore ID", "Make what it was taken of what it was then", cobra.ExactArgs(1),
			func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
				id, err := client.RestoreSnapshot(ctx, args[0])
				return done(err, cmp.Or(id, args[0]), "restored", asJSON)
			}),
		c.verb("lock ID", "Protect a snapshot from being deleted", cobra.ExactArgs(1),
			func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
				return done(client.LockSnapshot(ctx, args[0], true), args[0], "locked", asJSON)
			}),
		c.verb("unlock ID", "Let a snapshot be deleted again", cobra.ExactArgs(1),
			func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
				return done(client.LockSnapshot(ctx, args[0], false), args[0], "unlocked", asJSON)
			}),
		c.verb("delete ID", "Delete a snapshot", cobra.ExactArgs(1),
			func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
				return done(client.DeleteSnapshot(ctx, args[0]), args[0], "deleted", asJSON)
			}))
	return cmd
}

func newSnapshotsList(c *common) *cobra.Command {
	return c.verb("list", "List the account's snapshots", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			all, err := client.Snapshots(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(append([]unsandbox.Snapshot{}, all...))
			}
			rows := make([][]string, len(all))
			for i, s := range all {
				locked := ""
				if s.Locked {
					locked = "locked"
				}
				rows[i] = []string{s.ID, cmp.Or(s.Name, "-"), s.Source, size(int64(s.Size)), since(s.Created), locked}
			}
			return printRows("SNAPSHOT\tNAME\tOF\tSIZE\tAGE\t", rows)
		})
}

func newSnapshotsCreate(c *common) *cobra.Command {
	var s unsandbox.SnapshotSpec
	cmd := c.verb("create --session ID | --service ID", "Take a snapshot and print its id", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			id, err := client.CreateSnapshot(ctx, s)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(map[string]string{"id": id})
			}
			return printRows(id, nil)
		})
	cmd.Flags().StringVar(&s.Session, "session", "", "of the session `ID`")
	cmd.Flags().StringVar(&s.Service, "service", "", "of the service `ID`")
	cmd.Flags().StringVar(&s.Name, "name", "", "call it `NAME`")
	cmd.Flags().BoolVar(&s.Hot, "hot", false, "without stopping what it is of")
	return cmd
}

func newSnapshotsClone(c *common) *cobra.Command {
	var kind, name string
	cmd := c.verb("clone ID", "Make a new session or service of a snapshot and print its id", cobra.ExactArgs(1),
		func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
			if kind != "session" && kind != "service" {
				return &batch.Error{Status: batch.Usage, Text: "--type is session or service"}
			}
			id, err := client.CloneSnapshot(ctx, args[0], kind, name)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(map[string]string{"id": id})
			}
			return printRows(fmt.Sprint(id), nil)
		})
	cmd.Flags().StringVar(&kind, "type", "session", "session or service (`KIND`)")
	cmd.Flags().StringVar(&name, "name", "", "call it `NAME`")
	return cmd
}
