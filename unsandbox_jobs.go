package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/unsandbox"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// jobRow is a job as it is printed.
type jobRow struct {
	Job      string    `json:"job"`
	State    string    `json:"state"`
	Language string    `json:"language,omitempty"`
	Created  time.Time `json:"created_at,omitzero"`
	File     string    `json:"file,omitempty"` // of the notebook it came from
	Cell     string    `json:"cell,omitempty"`
	Active   bool      `json:"active"` // the service lists it
}

func newUnsandboxJobs(c *common) *cobra.Command {
	var watch bool
	cmd := c.verb("jobs", "List the jobs that run, and those sent from here whose end was not seen", cobra.NoArgs,
		func(ctx context.Context, client *unsandbox.Client, _ []string, asJSON bool) error {
			return listJobs(ctx, client, asJSON, watch)
		})
	cmd.Flags().BoolVar(&watch, "watch", false, "go on until no job is active, and print each change")
	return cmd
}

// listJobs prints the jobs; with watch, again whenever they changed, until none is active.
func listJobs(ctx context.Context, client *unsandbox.Client, asJSON, watch bool) error {
	var last []jobRow
	for first := true; ; first = false {
		rows, err := jobRows(ctx, client)
		if err != nil {
			return err
		}
		if first || !slices.Equal(rows, last) {
			if err := printJobs(rows, asJSON); err != nil {
				return err
			}
		}
		last = rows
		active := slices.ContainsFunc(rows, func(r jobRow) bool { return r.Active })
		if !watch || !active {
			return nil
		}
		if err := pause.For(ctx, 2*time.Second); err != nil {
			return err
		}
	}
}

// jobRows joins what the service lists with what was noted here.
func jobRows(ctx context.Context, client *unsandbox.Client) ([]jobRow, error) {
	active, err := client.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	notes := map[string]unsandbox.Note{}
	for _, n := range unsandbox.ReadJobLog(jobLog()) {
		notes[n.Job] = n
	}
	rows := []jobRow{}
	for _, j := range active {
		n := notes[j.ID]
		delete(notes, j.ID)
		rows = append(rows, jobRow{Job: j.ID, State: j.Status, Language: j.Language, Created: j.Created, File: n.File, Cell: n.Cell, Active: true})
	}
	for _, n := range notes {
		if !n.Over() {
			rows = append(rows, jobRow{Job: n.Job, State: n.State, Language: n.Language, Created: n.Time, File: n.File, Cell: n.Cell})
		}
	}
	slices.SortFunc(rows, func(a, b jobRow) int { return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.Job, b.Job)) })
	return rows, nil
}

func printJobs(rows []jobRow, asJSON bool) error {
	if asJSON {
		return printJSON(rows)
	}
	if len(rows) == 0 {
		note("no job is active")
		return nil
	}
	out := make([][]string, len(rows))
	for i, r := range rows {
		state := r.State
		if !r.Active {
			state += ", end not seen"
		}
		out[i] = []string{r.Job, state, cmp.Or(r.Language, "-"), since(r.Created), cmp.Or(r.File, "-")}
	}
	return printRows("JOB\tSTATE\tLANGUAGE\tAGE\tFILE", out)
}

// since is an age, "-" where the beginning is not known.
func since(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return age(time.Since(t))
}

func newUnsandboxJob(c *common) *cobra.Command {
	var wait bool
	cmd := c.verb("job ID", "Fetch a job: its output, and its end as the exit status", cobra.ExactArgs(1),
		func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
			j, err := client.Job(ctx, args[0])
			if err == nil && wait && !j.Over() {
				j, err = client.Wait(ctx, args[0], unsandbox.Waiting{TTL: unsandbox.MaxTTL})
			}
			if errors.Is(err, kernelclient.NotFound) {
				unsandbox.NoteForgotten(jobLog(), args[0])
			}
			if err != nil {
				return err
			}
			if j.Over() {
				unsandbox.NoteEnd(jobLog(), j)
			}
			return printJob(j, asJSON)
		})
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for its end")
	return cmd
}

// jobRecord is a whole job as JSON.
type jobRecord struct {
	Job      string `json:"job"`
	State    string `json:"state"`
	Language string `json:"language,omitempty"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode *int   `json:"exit_code"`
	Error    string `json:"error,omitempty"`
	Elapsed  int64  `json:"elapsed_ms,omitempty"`
}

func printJob(j unsandbox.Job, asJSON bool) error {
	if asJSON {
		r := jobRecord{Job: j.ID, State: j.Status, Language: j.Language, Stdout: j.Stdout, Stderr: j.Stderr, Error: j.Err, Elapsed: j.Elapsed.Milliseconds()}
		if j.HasExit {
			r.ExitCode = &j.Exit
		}
		if err := printJSON(r); err != nil {
			return err
		}
	} else if err := printOutput(j); err != nil {
		return err
	}
	switch {
	case !j.Over():
		note("the job is " + j.Status + "; --wait waits for its end")
		return nil
	case j.Status == unsandbox.TimedOut:
		return &batch.Error{Status: batch.TimedOut, Text: "the job's time was over"}
	case j.OK():
		return nil
	}
	return &batch.Error{Status: batch.CellFailed, Text: "the job failed: " + j.Why()}
}

func printOutput(j unsandbox.Job) error {
	s := streams()
	if _, err := io.WriteString(s.Out, j.Stdout); err != nil {
		return batch.WriteError(err)
	}
	if _, err := io.WriteString(s.Err, j.Stderr); err != nil {
		return batch.WriteError(err)
	}
	return nil
}

func newUnsandboxCancel(c *common) *cobra.Command {
	return c.verb("cancel ID", "Cancel a job", cobra.ExactArgs(1),
		func(ctx context.Context, client *unsandbox.Client, args []string, asJSON bool) error {
			j, err := client.Cancel(ctx, args[0])
			if err != nil {
				return err
			}
			if j.Over() {
				unsandbox.NoteEnd(jobLog(), j)
			}
			if asJSON {
				return printJSON(jobRow{Job: args[0], State: cmp.Or(j.Status, "unknown"), Language: j.Language, Created: j.Created})
			}
			switch {
			case j.Status == unsandbox.Cancelled:
				note("cancelled")
			case j.Over():
				note("the job had ended already: " + j.Status)
			default:
				note("the service was told to cancel the job; its end was not seen")
			}
			return printOutput(j)
		})
}
