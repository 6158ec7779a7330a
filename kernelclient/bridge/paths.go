package bridge

import (
	"cmp"
	"os"
	"strings"
)

// A notebook's path belongs to a machine. A host process of another machine has the paths of
// its own as they are, so that whoever opens a notebook there finds its kernel; those of a
// client's have the client's machine before them. To the client it is the other way round:
// its own are as they are, and the others' have the address of the host process.

// here begins the paths of this machine where another machine has them.
func here() string {
	name, _ := os.Hostname()
	return cmp.Or(name, "localhost") + ":"
}

// sent is a notebook's path for the host process.
func (c *Client) sent(path string) string {
	if c.opt.Name == "" || path == "" {
		return path
	}
	if there, ok := strings.CutPrefix(path, c.opt.Name+"/"); ok {
		return "/" + there
	}
	return here() + path
}

// told is a notebook's path as the host process has it.
func (c *Client) told(path string) string {
	if c.opt.Name == "" || path == "" {
		return path
	}
	if strings.HasPrefix(path, "/") {
		return c.opt.Name + path
	}
	return strings.TrimPrefix(path, here())
}
