package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/unsandbox"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

// newUnsandbox is what the service has beyond running code.
func newUnsandbox(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unsandbox",
		Short: "Languages, keys, jobs, sessions and snapshots of Unsandbox",
		Args:  noVerb("languages, keys, jobs, job, cancel, sessions and snapshots"),
		RunE:  func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newUnsandboxLanguages(c), newUnsandboxKeys(c), newUnsandboxJobs(c), newUnsandboxJob(c), newUnsandboxCancel(c),
		newUnsandboxSessions(c), newUnsandboxSnapshots(c))
	return cmd
}

// noVerb is the check of a command that only has others below it.
func noVerb(verbs string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%q is none of %s", args[0], verbs)
		}
		return errors.New("it takes one of " + verbs)
	}
}

// verb makes a command that talks to the service. Its errors have the status of a host's.
func (c *common) verb(use, short string, args cobra.PositionalArgs, run func(context.Context, *unsandbox.Client, []string, bool) error) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.unsandboxClient()
			if err != nil {
				return refused(err)
			}
			defer client.Close()
			return refused(run(cmd.Context(), client, args, asJSON))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// unsandboxClient is the service that --host names, else the one of the environment.
func (c *common) unsandboxClient() (*unsandbox.Client, error) {
	if c.hosted.url == "" || c.hosted.url == string(hosts.Local) {
		c.hosted.url = "unsandbox:"
	}
	t, err := c.hosted.resolve()
	if err != nil {
		return nil, err
	}
	if t.Kind != hosts.Unsandbox {
		return nil, &batch.Error{Status: batch.Usage, Text: fmt.Sprintf("--host %s is not Unsandbox; the service is unsandbox:", t.URL)}
	}
	l := unsandboxLookup(t)
	return unsandbox.NewClient(unsandbox.ClientOptions{Lookup: l, Version: version, OTP: mailedCode})
}

// unsandboxLookup says where the keys of a target are looked for.
func unsandboxLookup(t hosts.Target) unsandbox.Lookup {
	return unsandbox.Lookup{Public: t.PublicKey, Secret: string(t.Token), Account: t.Account, Confirm: confirmKeys, Warn: note}
}

// confirmKeys asks, on a terminal, whether the keys of the current folder may be used.
func confirmKeys(file string) (bool, error) {
	ask := asker(nil)
	if ask == nil {
		return false, nil
	}
	line, err := ask(context.Background(), "The keys in "+file+" may be somebody else's: code would run under that account. Use them? [y/N] ", false)
	if err != nil {
		return false, nil //nolint:nilerr // no answer is a no
	}
	return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"), nil
}

// mailedCode asks for the code that the service sent by mail.
func mailedCode(ctx context.Context) (string, error) {
	ask := asker(nil)
	if ask == nil {
		return "", nil
	}
	return ask(ctx, "Unsandbox mailed a code to the account's holder. The code (empty cancels): ", false)
}

// printJSON prints a value on one line.
func printJSON(v any) error {
	if err := json.NewEncoder(os.Stdout).Encode(v); err != nil {
		return batch.WriteError(err)
	}
	return nil
}

// printRows prints a table whose cells came from elsewhere.
func printRows(head string, rows [][]string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, r := range rows {
		for i := range r {
			r[i] = render.Sanitize(r[i])
		}
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	if err := w.Flush(); err != nil {
		return batch.WriteError(err)
	}
	return nil
}

func newUnsandboxLanguages(c *common) *cobra.Command {
	return c.verb("languages", "List the languages that the service runs", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			l, err := client.Languages(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(struct {
					Languages []string          `json:"languages"`
					Aliases   map[string]string `json:"aliases,omitempty"`
					Stale     bool              `json:"stale,omitempty"`
				}{l.Names, l.Aliases, l.Stale})
			}
			if l.Stale {
				note("the service did not answer: this is an old list")
			}
			rows := make([][]string, len(l.Names))
			for i, name := range l.Names {
				rows[i] = []string{name, strings.Join(l.AliasesOf(name), " ")}
			}
			return printRows("LANGUAGE\tALSO", rows)
		})
}

func newUnsandboxKeys(c *common) *cobra.Command {
	return c.verb("keys", "Say which keys are used, whether they are good and what they allow", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			k, err := client.Validate(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(k)
			} else {
				err = printRows("KEY\tFROM\tVALID\tTIER\tAT ONCE\tA MINUTE\tUNTIL", [][]string{{
					k.PublicKey, k.Source, fmt.Sprint(k.Valid), k.Tier, number(k.Concurrency), number(k.Rate), day(k.Until),
				}})
			}
			if err == nil && !k.Valid {
				why := cmp.Or(k.Reason, k.Message, "no reason was given")
				return &batch.Error{Status: batch.NoKernel, Text: "the keys are not valid: " + why + renewal(k)}
			}
			return err
		})
}

// renewal says where keys can be renewed.
func renewal(k unsandbox.KeyInfo) string {
	if k.Renew == "" {
		return ""
	}
	return "; renew them at " + k.Renew
}

// number is a count, "-" where it is not known.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// day is a date, "-" where it is not known.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly)
}
