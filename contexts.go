package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

func newContexts(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contexts",
		Short: "List, create, restart and remove what runs code on a host",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q is none of list, create, restart and rm", args[0])
			}
			return errors.New("it takes list, create, restart ID or rm ID")
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newContextsList(c), newContextsCreate(c), newContextsChange(c, "restart", "Restart a context: its state is lost, its id stays", restartContext),
		newContextsChange(c, "rm", "End a context, whoever made it", removeContext))
	return cmd
}

func newContextsList(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the contexts of a host", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.contextsList(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

func newContextsCreate(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "create [NAME]", Short: "Start a context that stays, and print its id", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.contextsCreate(cmd.Context(), strings.Join(args, ""), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON record")
	return cmd
}

func newContextsChange(c *common, verb, short string, do func(context.Context, kernelclient.Host, kernelclient.ContextInfo) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s takes one ID, as `nbterm contexts list` shows it", verb)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.onContext(cmd.Context(), args[0], do)
		},
	}
}

// lastingHost is the host of contexts that are to go on when this program has ended; nil where
// it would be the host process, which does not run, and start is not set.
func (c *common) lastingHost(ctx context.Context, start bool) (h kernelclient.Host, closeHost func(), err error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	t, err := c.hosted.resolve()
	if err != nil {
		return nil, nil, err
	}
	dir, err := c.nearby("./-")
	if err != nil {
		return nil, nil, err
	}
	switch {
	case contextHost(t) != "":
		if h, err = hosts.Open(t, hosts.Options{Dir: dir, Forget: true, Outlive: true, Version: version, Warn: note}); err != nil {
			return nil, nil, refused(err)
		}
	case start:
		client, err := c.ensure(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		h = client
	default:
		client, err := c.running(ctx)
		if client == nil || err != nil {
			return nil, nil, err
		}
		h = client
	}
	return c.logged(h)
}

func (c *common) contextsList(ctx context.Context, asJSON bool) error {
	list, err := c.contextsOf(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		rows := make([]hostContextRow, len(list))
		for i, info := range list {
			rows[i] = hostContextRowOf(info)
		}
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	if len(list) == 0 {
		note("the host has no contexts")
		return nil
	}
	return hostContextTable(os.Stdout, list)
}

func (c *common) contextsOf(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	h, closeHost, err := c.lastingHost(ctx, false)
	if h == nil || err != nil {
		return nil, err
	}
	defer closeHost()
	list, err := h.Contexts(ctx)
	return list, refused(err)
}

// hostContextRow is one context of `nbterm contexts list --json`.
type hostContextRow struct {
	ID       string     `json:"id"`
	Name     string     `json:"name,omitempty"`
	Kernel   string     `json:"kernel"`
	Language string     `json:"language"`
	Dir      string     `json:"dir"`
	File     string     `json:"file,omitempty"`
	State    string     `json:"state"`
	Host     string     `json:"host,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Expires  *time.Time `json:"expires,omitempty"`
}

func hostContextRowOf(i kernelclient.ContextInfo) hostContextRow {
	row := hostContextRow{
		ID: string(i.ID), Name: i.Name, Kernel: i.Kernel.Name, Language: i.Kernel.Language, Dir: i.Dir,
		File: cmp.Or(i.Saved.Path, i.Path), State: string(i.State.State), Host: i.Host,
	}
	if !i.Started.IsZero() {
		row.Started = &i.Started
	}
	if !i.Expires.IsZero() {
		row.Expires = &i.Expires
	}
	return row
}

func hostContextTable(out io.Writer, list []kernelclient.ContextInfo) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tKERNEL\tSTATE\tENDS IN")
	for _, i := range list {
		left := "-"
		if !i.Expires.IsZero() {
			left = age(time.Until(i.Expires))
		}
		row := []string{string(i.ID), cmp.Or(i.Name, i.Saved.Path, i.Path, "-"), cmp.Or(i.Kernel.Name, i.Kernel.Language), cmp.Or(string(i.State.State), "-"), left}
		for n := range row {
			row[n] = render.Sanitize(row[n])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

func (c *common) contextsCreate(ctx context.Context, name string, asJSON bool) error {
	h, closeHost, err := c.lastingHost(ctx, true)
	if err != nil {
		return err
	}
	defer closeHost()
	kernels, err := h.Kernels(ctx)
	if err != nil {
		return refused(err)
	}
	k, _, err := session.Choose(kernels, session.Wish{Override: c.kernel})
	if err != nil {
		return refused(err)
	}
	dir, err := c.workDir("./-")
	if err != nil {
		return err
	}
	made, err := h.Start(ctx, kernelclient.StartSpec{
		Kernel: k.Name, Dir: dir, Env: c.env, Name: cmp.Or(name, c.context), StartupTimeout: time.Duration(c.startup),
	})
	if err != nil {
		return refused(err)
	}
	if err := ready(ctx, made); err != nil {
		return errors.Join(refused(err), made.Stop(context.WithoutCancel(ctx), true))
	}
	info := made.Info()
	if _, mine := h.(*bridge.Client); !mine && info.Remote != "" {
		info.ID = kernelclient.ContextID(info.Remote) // what the next program finds it by
	}
	if err := made.Close(); err != nil {
		return refused(err)
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(hostContextRowOf(info))
	}
	_, err = fmt.Fprintln(os.Stdout, render.Sanitize(string(info.ID)))
	return err
}

// ready waits until a context takes requests, or is dead and says why.
func ready(ctx context.Context, c kernelclient.Context) error {
	stream := c.Follow(kernelclient.Cursor{})
	defer stream.Close()
	for {
		batch, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range batch {
			s, ok := e.Body.(event.State)
			switch {
			case !ok:
			case s.State == event.Dead:
				return cmp.Or(c.Info().Err, errors.New(s.Detail))
			case s.State == event.Idle || s.State == event.Busy:
				return nil
			}
		}
	}
}

// onContext does something with the context of an id or name.
func (c *common) onContext(ctx context.Context, id string, do func(context.Context, kernelclient.Host, kernelclient.ContextInfo) error) error {
	h, closeHost, err := c.lastingHost(ctx, false)
	if err != nil {
		return err
	}
	none := &batch.Error{Status: batch.NoKernel, Text: fmt.Sprintf("the host has no context %q; `nbterm contexts list` shows what it has", id)}
	if h == nil {
		return none
	}
	defer closeHost()
	list, err := h.Contexts(ctx)
	if err != nil {
		return refused(err)
	}
	at := slices.IndexFunc(list, func(i kernelclient.ContextInfo) bool { return called(i, id) })
	if at < 0 {
		return none
	}
	return refused(do(ctx, h, list[at]))
}

// called tells whether a context has that id or name.
func called(i kernelclient.ContextInfo, name string) bool {
	return name != "" && (string(i.ID) == name || i.Remote == name || i.Name == name)
}

func restartContext(ctx context.Context, h kernelclient.Host, i kernelclient.ContextInfo) error {
	return hosts.Restart(ctx, h, i.ID)
}

func removeContext(ctx context.Context, h kernelclient.Host, i kernelclient.ContextInfo) error {
	return hosts.Remove(ctx, h, i.ID)
}
