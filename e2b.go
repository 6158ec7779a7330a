package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/e2b"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/render"
)

func newE2B(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "e2b",
		Short: "List, make and end sandboxes of E2B",
		Long:  "E2b looks after sandboxes of E2B; --host e2b:ID runs code in one.\nThe API key is E2B_API_KEY's, or in the file that --token-file names.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newE2BList(c), newE2BCreate(c), newE2BKill(c), newE2BTimeout(c))
	return cmd
}

func newE2BList(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the account's sandboxes, paused ones too, and the time that they have left",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.cloud(cmd.Context(), e2b.Options{}, func(ctx context.Context, cloud *e2b.Cloud) error {
				all, err := cloud.List(ctx)
				if err != nil {
					return err
				}
				return printSandboxes(all, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

func newE2BCreate(c *common) *cobra.Command {
	var opt e2b.Options
	var asJSON bool
	var metadata []string
	var life limit
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a sandbox and print its id",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if opt.Metadata, err = pairs("--metadata", metadata); err != nil {
				return err
			}
			if opt.EnvVars, err = pairs("--env", c.env); err != nil {
				return err
			}
			if opt.Lifetime = time.Duration(life); life <= 0 {
				return errors.New("--timeout: a sandbox needs some time to live")
			}
			return c.cloud(cmd.Context(), opt, func(ctx context.Context, cloud *e2b.Cloud) error {
				s, err := cloud.Create(ctx)
				switch {
				case err != nil:
				case asJSON:
					err = printSandboxes([]e2b.Sandbox{s}, true)
				default:
					_, err = fmt.Println(render.Sanitize(s.ID))
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&opt.Template, "template", "", "the template `NAME` (default code-interpreter-v1)")
	cmd.Flags().StringArrayVar(&metadata, "metadata", nil, "what is to be noted of it, `K=V` (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list of the one sandbox")
	limitFlag(cmd.Flags(), &life, "timeout", 300, "seconds it is to live")
	return cmd
}

func newE2BKill(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "kill ID...",
		Short: "End sandboxes, with all that is in them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return c.cloud(cmd.Context(), e2b.Options{}, func(ctx context.Context, cloud *e2b.Cloud) error {
				var errs []error
				for _, id := range ids {
					errs = append(errs, cloud.Kill(ctx, id))
				}
				return errors.Join(errs...)
			})
		},
	}
}

func newE2BTimeout(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "timeout ID SECONDS",
		Short: "Let a sandbox live for some seconds from now",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 1 || n > longest {
				return errors.New("it takes a whole number of seconds, 1 or more")
			}
			return c.cloud(cmd.Context(), e2b.Options{}, func(ctx context.Context, cloud *e2b.Cloud) error {
				return cloud.SetTimeout(ctx, args[0], time.Duration(n)*time.Second)
			})
		},
	}
}

// cloud does something with E2B's control plane. Its errors have the status of a host's.
func (c *common) cloud(ctx context.Context, opt e2b.Options, do func(context.Context, *e2b.Cloud) error) error {
	h := c.hosted
	if h.url == "" || h.url == string(hosts.Local) {
		h.url = "e2b:"
	}
	t, err := h.resolve()
	if err != nil {
		return err
	}
	if t.Kind != hosts.E2B {
		return fmt.Errorf("--host %s is not E2B's cloud", t.URL)
	}
	opt.APIKey = string(t.Token)
	if opt.Template == "" {
		opt.Template = t.Template
	}
	cloud := e2b.NewCloud(opt)
	defer cloud.Close()
	return refused(do(ctx, cloud))
}

// pairs reads K=V settings.
func pairs(flag string, list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("%s %q is not of the form K=V", flag, kv)
		}
		m[k] = v
	}
	return m, nil
}

// sandboxRow is one sandbox of `nbterm e2b list --json`.
type sandboxRow struct {
	ID       string            `json:"id"`
	Template string            `json:"template"`
	State    string            `json:"state"`
	Started  time.Time         `json:"started,omitzero"`
	Ends     time.Time         `json:"ends,omitzero"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func printSandboxes(all []e2b.Sandbox, asJSON bool) error {
	rows := make([]sandboxRow, len(all))
	for i, s := range all {
		if rows[i] = (sandboxRow{s.ID, s.Alias, s.State, s.Started, s.Ends, s.Metadata}); s.Alias == "" {
			rows[i].Template = s.Template
		}
	}
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SANDBOX\tTEMPLATE\tSTATE\tLEFT")
	for _, r := range rows {
		left := "-"
		if !r.Ends.IsZero() && r.State != e2b.Paused {
			left = max(time.Until(r.Ends), 0).Round(time.Second).String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", render.Sanitize(r.ID), render.Sanitize(r.Template), render.Sanitize(r.State), left)
	}
	return w.Flush()
}
