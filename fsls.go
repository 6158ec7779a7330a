package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

func newFSLs(c *common) *cobra.Command {
	var long, all, asJSON bool
	var depth int
	cmd := &cobra.Command{
		Use:   "ls [PATH…]",
		Short: "List folders",
		RunE: func(cmd *cobra.Command, args []string) error {
			opt := fswatch.ListOptions{Depth: depth, Quick: !long && !asJSON, Meta: asJSON}
			if depth < 1 {
				return fmt.Errorf("--depth %d: it takes a number of levels, 1 or more", depth)
			}
			if all {
				opt.Depth = math.MaxInt32
			}
			if len(args) == 0 {
				args = []string{""}
			}
			return c.withFiles(cmd.Context(), func(ctx context.Context, f fswatch.FS) error {
				entries, err := listAll(ctx, f, args, opt)
				if err != nil {
					return err
				}
				return printEntries(entries, long, asJSON)
			})
		},
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "with permissions, owner, size and time")
	cmd.Flags().BoolVarP(&all, "recursive", "R", false, "with all that is below")
	cmd.Flags().IntVar(&depth, "depth", 1, "so many `LEVELS`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

// shownEntry is an entry with what it is called in a list.
type shownEntry struct {
	fswatch.Entry
	shown string
}

// listAll lists folders; what is no folder stands for itself.
func listAll(ctx context.Context, f fswatch.FS, paths []string, opt fswatch.ListOptions) ([]shownEntry, error) {
	all := []shownEntry{}
	for _, p := range paths {
		e, err := f.Stat(ctx, p)
		if err != nil {
			return nil, err
		}
		if !e.IsDir() {
			all = append(all, shownEntry{e, p})
			continue
		}
		entries, err := f.List(ctx, p, opt)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			base := strings.TrimSuffix(entries[0].Path, entries[0].Name)
			all = append(all, shownEntry{e, strings.TrimPrefix(e.Path, base)})
		}
	}
	return all, nil
}

func printEntries(entries []shownEntry, long, asJSON bool) error {
	if asJSON {
		rows := make([]fileRow, len(entries))
		for i, e := range entries {
			rows[i] = rowOfFile(e.Entry)
		}
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	show := nameFilter()
	var out strings.Builder
	wide := widths(entries)
	for _, e := range entries {
		name := show(e.shown)
		if e.IsDir() {
			name = strings.TrimSuffix(name, "/") + "/"
		}
		if long {
			fmt.Fprintf(&out, "%-*s %-*s %-*s %*d %s ", wide[0], shownMode(e.Entry), wide[1], e.Owner, wide[2], e.Group, wide[3], e.Size, shownTime(e.ModTime))
			name += remark(e.Entry, show)
		}
		fmt.Fprintln(&out, name)
	}
	_, err := io.WriteString(os.Stdout, out.String())
	return writeError(err)
}

// shownMode is the permissions as ls shows them, with question marks where a host has none.
func shownMode(e fswatch.Entry) string {
	if e.Owner != "" || e.Mode.Perm() != 0 {
		return e.Mode.String()
	}
	if e.IsDir() {
		return "d?????????"
	}
	return "-?????????"
}

// widths are those of the columns for permissions, owners, groups and sizes. (A tabwriter
// takes some bytes of names for its own.)
func widths(entries []shownEntry) (w [4]int) {
	for _, e := range entries {
		for i, s := range []string{shownMode(e.Entry), e.Owner, e.Group, strconv.FormatInt(e.Size, 10)} {
			w[i] = max(w[i], len(s))
		}
	}
	return w
}

// writeError gives an error of standard output its status.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return batch.WriteError(err)
}

// nameFilter makes names harmless where a terminal shows them; a pipe gets them as they are.
func nameFilter() func(string) string {
	if term.IsTerminal(os.Stdout.Fd()) {
		return render.Sanitize
	}
	return func(s string) string { return s }
}

func shownTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// remark is where a link leads and what is wrong with an entry.
func remark(e fswatch.Entry, show func(string) string) string {
	switch {
	case e.Link && e.Target == e.Path: // where it leads is not known
		return " (link, " + string(e.Problem) + ")"
	case e.Link && e.Problem != "":
		return " -> " + show(e.Target) + " (" + string(e.Problem) + ")"
	case e.Link:
		return " -> " + show(e.Target)
	case e.Problem != "":
		return " (" + string(e.Problem) + ")"
	}
	return ""
}

// fileRow is one entry of `nbterm fs ls --json`, and what stat and watch print of one.
type fileRow struct {
	Name        string            `json:"name"`
	Path        string            `json:"path"`
	PathBase64  string            `json:"path_base64,omitempty"` // of a path that is no text
	Type        string            `json:"type"`                  // file, dir, other or none
	Size        int64             `json:"size"`
	Mode        uint32            `json:"mode"`                  // permission bits
	Permissions string            `json:"permissions,omitempty"` // "" where the host has none
	Owner       string            `json:"owner,omitempty"`
	Group       string            `json:"group,omitempty"`
	Modified    *time.Time        `json:"modified,omitempty"`
	Target      string            `json:"target,omitempty"` // of a symlink
	Problem     string            `json:"problem,omitempty"`
	Meta        map[string]string `json:"meta,omitempty"`
}

func rowOfFile(e fswatch.Entry) fileRow {
	r := fileRow{
		Name: e.Name, Path: e.Path, PathBase64: base64Of(e.Path), Type: string(e.Type), Size: e.Size, Mode: uint32(e.Mode.Perm()),
		Permissions: shownMode(e), Owner: e.Owner, Group: e.Group, Target: e.Target, Problem: string(e.Problem), Meta: e.Meta,
	}
	if strings.HasSuffix(r.Permissions, "?") {
		r.Permissions = ""
	}
	if e.Type == fswatch.TypeNone {
		r.Type = "none"
	}
	if !e.ModTime.IsZero() {
		t := e.ModTime.UTC()
		r.Modified = &t
	}
	return r
}

// base64Of is a path that JSON cannot carry, "" for others.
func base64Of(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}
