package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

type execFlags struct {
	code             string
	given            bool   // -c was, be it with an empty code
	timed            bool   // --timeout was
	json             string // "" = no record, else its shape
	events           bool
	allowErrors      bool
	noWait           bool
	timeout, request limit
	carried          carried
}

// The shapes of a record.
const (
	ownRecord = "nbterm"
	e2bRecord = "e2b"
)

// record is a record in the shape that was asked for, one line.
func (f execFlags) record(r *batch.Record) []byte {
	if f.json == e2bRecord {
		return append(r.AppendE2B(nil), '\n')
	}
	return append(r.AppendJSON(nil), '\n')
}

func newExec(c *common) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec -c CODE | FILE | -",
		Short: "Run one piece of code on a fresh or a running kernel",
		Long:  "Exec runs one piece of code on a fresh kernel, or with --existing on one that runs already: the text after -c, a file, or standard input (-).\nThe language: --kernel, else the file's extension or first line, else Python.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given, f.timed = cmd.Flags().Changed("code"), cmd.Flags().Changed("timeout")
			return c.exec(cmd.Context(), f, args)
		},
	}
	cmd.Flags().StringVarP(&f.code, "code", "c", "", "the `CODE`")
	cmd.Flags().StringVar(&f.json, "json", "", "print one JSON record of everything at the end; --json=e2b has the shape of E2B's SDKs")
	cmd.Flags().Lookup("json").NoOptDefVal = ownRecord
	cmd.Flags().BoolVar(&f.events, "events", false, "print one JSON event a line as it happens")
	cmd.Flags().BoolVar(&f.allowErrors, "allow-errors", false, "exit with 0 also where the code fails")
	cmd.Flags().BoolVar(&f.noWait, "no-wait", false, "leave the code to Unsandbox as a job and print the job's id")
	f.carried.add(cmd.Flags())
	addContext(cmd, c)
	addTimeouts(cmd, &f.timeout, &f.request)
	return cmd
}

// source is the code to run and the language that its origin speaks for, "" if none.
func (f execFlags) source(args []string) (code, language string, err error) {
	switch {
	case f.json != "" && f.json != ownRecord && f.json != e2bRecord:
		return "", "", fmt.Errorf("--json=%s: the record is nbterm's own (--json) or has the shape of E2B's (--json=e2b)", f.json)
	case f.json != "" && f.events:
		return "", "", errors.New("--json and --events exclude each other")
	case f.given && len(args) > 0:
		return "", "", errors.New("code comes from -c or from a file, not from both")
	case f.given:
		return f.code, "", nil
	case len(args) == 0:
		return "", "", errors.New("nothing to run: give -c CODE, a file, or - for standard input")
	}
	var text []byte
	if args[0] == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(args[0])
	}
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("%s is not UTF-8 text; convert it first, as with iconv", args[0])
	}
	return string(text), batch.LanguageOf(args[0], text), err
}

func (c *common) exec(ctx context.Context, f execFlags, args []string) error {
	code, language, err := f.source(args)
	if err != nil {
		return err
	}
	language = c.languageOn(args, code, language)
	if f.noWait {
		return c.handOver(ctx, code, language, c.runLimit(f.timed, f.timeout))
	}
	k, closeHost, err := c.start(ctx, language, f.request)
	if err != nil {
		return err
	}
	defer closeHost()
	if term.IsTerminal(os.Stderr.Fd()) { // who watches is told; scripts are not disturbed
		kernel := k.Info().Kernel
		note(fmt.Sprintf("kernel: %s (%s)", cmp.Or(kernel.Name, kernel.DisplayName), kernel.Found))
	}
	dir, err := c.workDir("./-")
	if err != nil {
		return err
	}
	carry := &carrier{carried: f.carried, c: c, dir: dir, remote: func(ctx context.Context) (string, error) { return kernelclient.AwaitRemote(ctx, k) }}
	if err := carry.before(ctx); err != nil {
		_ = k.Stop(ctx, true) // nothing ran in it
		return err
	}
	ch, stop := signals()
	defer stop()
	x := batch.Snippet{Context: k, Code: code, Timeout: c.runLimit(f.timed, f.timeout), Streams: streams(), Signals: ch, Ask: asker(args), Done: carry.after}
	if f.events {
		x.Each = func(e event.Event) error {
			_, err := os.Stdout.Write(append(e.AppendJSON(nil), '\n'))
			return err
		}
	}
	if f.json != "" {
		x.Record = &batch.Record{}
	}
	err = carry.verdict(x.Run(ctx))
	if f.json != "" {
		if _, err := os.Stdout.Write(f.record(x.Record)); err != nil {
			return batch.WriteError(err)
		}
	}
	if f.allowErrors && batch.StatusOf(err) == batch.CellFailed {
		return nil
	}
	return err
}

// start chooses a kernel for a language and starts it.
func (c *common) start(ctx context.Context, language string, request limit) (kernelclient.Context, func(), error) {
	near, err := c.nearby("./-")
	if err != nil {
		return nil, nil, err
	}
	dir, err := c.workDir("./-")
	if err != nil {
		return nil, nil, err
	}
	host, closeHost, err := c.host(ctx, near)
	if err != nil {
		return nil, nil, err
	}
	k, err := session.StartFor(ctx, host, session.Wish{Override: c.kernel, Existing: c.existing, Language: language},
		kernelclient.StartSpec{Dir: dir, Env: c.env, StartupTimeout: time.Duration(c.startup), RequestTimeout: request.orForever()})
	if err != nil {
		closeHost()
		return nil, nil, &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	return k, closeHost, nil
}
