package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

func newAttach(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [ID | HOST/ID]",
		Short: "Open the notebook of a kernel that was left running",
		Long:  "Attach opens the notebook of a kernel that was left running, with what it put out meanwhile.\nWithout an ID it takes the only one there is. HOST is the\naddress of another machine, such as ssh://machine.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := c.elsewhere(args)
			if err != nil {
				return err
			}
			path, err := c.attachTo(cmd.Context(), args)
			if err != nil {
				return err
			}
			if t, err := c.hosted.resolve(); err == nil && far(t) && t.Kind == hosts.Process {
				path = addressOf(t, strings.TrimPrefix(path, t.URL))
			}
			return c.open(cmd.Context(), []string{path})
		},
	}
}

// elsewhere takes the host out of an argument that names one.
func (c *common) elsewhere(args []string) (rest []string, err error) {
	if len(args) == 0 || !strings.Contains(args[0], "://") {
		return args, nil
	}
	u, err := url.Parse(args[0])
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read as a host and an ID, like ssh://machine/1a2b3c4d", args[0])
	}
	id := strings.Trim(u.Path, "/")
	u.Path = ""
	c.hosted.url = u.String()
	if id == "" {
		return nil, nil
	}
	return []string{id}, nil
}

// attachTo finds the notebook to open.
func (c *common) attachTo(ctx context.Context, args []string) (path string, err error) {
	list, err := c.listed(ctx)
	if err != nil {
		return "", err
	}
	var l bridge.Listed
	switch {
	case len(args) == 1:
		if l, err = pick(list, args[0]); err != nil {
			return "", err
		}
	case len(list) == 0:
		return "", &batch.Error{Status: batch.NoKernel, Text: "nothing runs in the host process; `nbterm FILE` opens a notebook"}
	case len(list) > 1:
		if err := contextTable(os.Stderr, list); err != nil {
			return "", err
		}
		return "", &batch.Error{Status: batch.Usage, Text: "several kernels run; say which by its ID"}
	default:
		l = list[0]
	}
	path = cmp.Or(l.Saved.Path, l.Path)
	if path == "" {
		return "", &batch.Error{
			Status: batch.Usage,
			Text:   fmt.Sprintf("%s belongs to no notebook; `nbterm exec --context %[1]s -c CODE` runs code in it", l.ID.Short()),
		}
	}
	return path, nil
}
