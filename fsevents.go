package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
)

func newFSWatch(c *common) *cobra.Command {
	var opt fswatch.WatchOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Print what happens in a folder, one event a line, until it is interrupted",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) > 0 {
				dir = args[0]
			}
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				return printEvents(ctx, os.Stdout, f, dir, opt, asJSON)
			})
		},
	}
	cmd.Flags().BoolVarP(&opt.Recursive, "recursive", "r", false, "with all folders below")
	cmd.Flags().BoolVar(&opt.Entries, "entries", false, "with what is known of each file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printEvents(ctx context.Context, out io.Writer, f fswatch.FS, dir string, opt fswatch.WatchOptions, asJSON bool) error {
	s, err := f.Watch(ctx, dir, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	p := eventPrinter{json: asJSON, entries: opt.Entries, show: nameFilter()}
	for {
		if mode, why := s.Mode(); mode == fswatch.ModePoll && !p.polled {
			p.polled = true
			note(pollNote(why))
		}
		events, err := s.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			p.add(e)
		}
		if _, err := out.Write(p.line); err != nil {
			return writeError(err)
		}
		p.line = p.line[:0]
	}
}

func pollNote(why error) string {
	if why == nil {
		return "changes are not reported here: the files are looked at every two seconds"
	}
	return fmt.Sprintf("the files are looked at every two seconds: %v", why)
}

// eventPrinter makes lines of events.
type eventPrinter struct {
	json, entries, polled bool
	show                  func(string) string
	line                  []byte
}

// eventRow is one line of `nbterm fs watch --json`.
type eventRow struct {
	Op         string    `json:"op"`
	Name       string    `json:"name"` // relative to the folder
	NameBase64 string    `json:"name_base64,omitempty"`
	Time       time.Time `json:"time"` // when it was told
	Entry      *fileRow  `json:"entry,omitempty"`
}

func (p *eventPrinter) add(e fswatch.Event) {
	if p.json {
		row := eventRow{Op: string(e.Op), Name: e.Name, NameBase64: base64Of(e.Name), Time: time.Now().UTC()}
		if e.Entry != nil {
			entry := rowOfFile(*e.Entry)
			row.Entry = &entry
		}
		if data, err := json.Marshal(row); err == nil { // strings and numbers only
			p.line = append(append(p.line, data...), '\n')
		}
		return
	}
	p.line = fmt.Appendf(p.line, "%-6s %s", e.Op, p.show(e.Name))
	if e.Entry != nil {
		p.line = fmt.Appendf(p.line, "  %s %d", shownMode(*e.Entry), e.Entry.Size)
	}
	p.line = append(p.line, '\n')
}
