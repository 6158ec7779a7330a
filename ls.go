package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

func newLs(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the kernels that were left running: file, kernel, state, age, memory, clients",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return c.ls(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

// contextRow is one context of `nbterm ls --json`.
type contextRow struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	File    string    `json:"file"`
	Kernel  string    `json:"kernel"`
	Dir     string    `json:"dir"`
	State   string    `json:"state"`
	Running int       `json:"running"`
	Waiting int       `json:"waiting"`
	Started time.Time `json:"started"`
	Age     float64   `json:"age_s"`
	Memory  int64     `json:"memory"` // bytes
	Clients int       `json:"clients"`
	PID     int       `json:"pid"`
}

func (c *common) ls(ctx context.Context, asJSON bool) error {
	list, err := c.listed(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		rows := make([]contextRow, len(list))
		for i, l := range list {
			rows[i] = rowOf(l)
		}
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	if len(list) == 0 {
		note("nothing runs in the host process")
		return nil
	}
	return contextTable(os.Stdout, list)
}

// listed is what the host process has, nothing where there is none.
func (c *common) listed(ctx context.Context) ([]bridge.Listed, error) {
	client, err := c.running(ctx)
	if client == nil || err != nil {
		return nil, err
	}
	defer client.Close()
	list, err := client.List(ctx)
	if err != nil {
		return nil, &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	return list, nil
}

func rowOf(l bridge.Listed) contextRow {
	return contextRow{
		ID: string(l.ID), Name: l.Name, File: l.Path, Kernel: l.Kernel.Name, Dir: l.Dir, State: string(l.State.State),
		Running: l.Running, Waiting: l.Waiting, Started: l.Started, Age: time.Since(l.Started).Seconds(),
		Memory: l.Memory, Clients: l.Clients, PID: l.PID,
	}
}

func contextTable(out io.Writer, list []bridge.Listed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tFILE\tKERNEL\tSTATE\tAGE\tMEMORY\tCLIENTS")
	for _, l := range list {
		what := l.Path
		if what == "" {
			what = l.Name
		}
		state := string(l.State.State)
		if l.Waiting > 0 {
			state += fmt.Sprintf(", %d waiting", l.Waiting)
		}
		fmt.Fprintln(w, strings.Join([]string{
			l.ID.Short(), render.Sanitize(what), render.Sanitize(l.Kernel.Name), state,
			age(time.Since(l.Started)), size(l.Memory), fmt.Sprint(l.Clients),
		}, "\t"))
	}
	return w.Flush()
}

// age is a duration in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// size is an amount of memory in MB, "-" where it is not known.
func size(bytes int64) string {
	if bytes <= 0 {
		return "-"
	}
	return fmt.Sprintf("%d MB", (bytes+500_000)/1_000_000)
}
