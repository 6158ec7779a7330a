package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

func newKernels(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "List every kernel: name, language, where found; broken ones with the reason",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return c.kernels(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

// kernelRow is one kernel of `nbterm kernels --json`.
type kernelRow struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Found       string `json:"found"`
	Broken      string `json:"broken,omitempty"`
	Env         string `json:"environment,omitempty"`
	Elsewhere   bool   `json:"elsewhere,omitempty"`
}

func (c *common) kernels(ctx context.Context, asJSON bool) error {
	dir, err := c.nearby("./-")
	if err != nil {
		return err
	}
	host, closeHost, err := c.host(ctx, dir)
	if err != nil {
		return err
	}
	defer closeHost()
	kernels, err := host.Kernels(ctx)
	if err != nil {
		return &batch.Error{Status: batch.StatusOf(err), Err: err}
	}
	if asJSON {
		rows := make([]kernelRow, len(kernels))
		for i, k := range kernels {
			rows[i] = kernelRow(k)
		}
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	return table(kernels)
}

func table(kernels []kernelclient.Kernel) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tLANGUAGE\tFOUND\t")
	for _, k := range kernels {
		why := ""
		if k.Broken != "" {
			why = "broken: " + render.Sanitize(k.Broken)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", render.Sanitize(k.Name), render.Sanitize(k.Language), render.Sanitize(k.Found), why)
	}
	return w.Flush()
}
