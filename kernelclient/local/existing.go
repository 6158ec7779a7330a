package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// Existing implements kernelclient.Joiner. file may also be a name, or a part of one, in
// Jupyter's runtime folder; of several the newest kernel is taken.
func (h *Host) Existing(ctx context.Context, file string, start kernelclient.StartSpec) (kernelclient.Context, error) {
	c, err := h.find(ctx, file)
	if err != nil {
		return nil, err
	}
	r := c.running(search(h.env(), h.dir("")), ownersOf([]candidate{c})[0])
	if start.Dir == "" {
		start.Dir = h.dir("")
	}
	info := kernelclient.ContextInfo{ID: kernelclient.ContextID(newID()), Kernel: r.Kernel, Dir: start.Dir, Path: start.Session, Name: start.Name, Foreign: true}
	driver := jupyter.NewDriver(attacher{c, r.PID}, jupyter.DriverOptions{RequestTimeout: start.RequestTimeout, Foreign: true})
	return h.open(info, driver, start)
}

// find is the connection file that is meant, of a kernel that answers.
func (h *Host) find(ctx context.Context, file string) (candidate, error) {
	if file == kernelclient.Latest {
		return h.newest(ctx, h.candidates(), "no Jupyter kernel runs here")
	}
	c, err := readCandidate(file)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(file) == file {
		return h.newest(ctx, h.named(file), fmt.Sprintf("no kernel answers that has a connection file with %q in its name", file))
	}
	if err != nil {
		return c, fileError(file, err)
	}
	if c.file, err = filepath.Abs(file); err != nil {
		return c, fileError(file, err)
	}
	if err := alive(ctx, c.conn); err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		return c, &kernelclient.Error{Kind: kindOf(err), What: "no kernel can be reached at " + file, Err: err}
	}
	return c, nil
}

// named are the candidates whose file's name is, or has in it, name.
func (h *Host) named(name string) (some []candidate) {
	for _, c := range h.candidates() {
		if strings.Contains(filepath.Base(c.file), name) {
			some = append(some, c)
		}
	}
	return some
}

// newest is the first of all whose kernel answers.
func (h *Host) newest(ctx context.Context, all []candidate, none string) (candidate, error) {
	if live := h.answering(ctx, all); len(live) > 0 {
		return live[0], nil
	}
	if err := ctx.Err(); err != nil {
		return candidate{}, err
	}
	return candidate{}, &kernelclient.Error{
		Kind: kernelclient.NotFound, What: none, Next: "connection files lie in " + h.env().runtimeDir(),
	}
}

func kindOf(err error) kernelclient.Kind {
	if own := (*kernelclient.Error)(nil); errors.As(err, &own) {
		return own.Kind
	}
	return kernelclient.Disconnect
}

func fileError(file string, err error) error {
	kind := kernelclient.Invalid
	switch {
	case errors.Is(err, os.ErrNotExist):
		kind = kernelclient.NotFound
	case errors.Is(err, os.ErrPermission):
		kind = kernelclient.Permission
	case errors.Is(err, kernelclient.Unsupported):
		kind = kernelclient.Unsupported
	}
	return &kernelclient.Error{Kind: kind, What: "the connection file " + file + " cannot be used", Err: plain(err)}
}

// attacher is a jupyter.Launcher that connects to a kernel which another program started.
type attacher struct {
	candidate
	pid int
}

// Retries implements jupyter.Launcher.
func (attacher) Retries() int { return 0 }

// Launch implements jupyter.Launcher. After the kernel's end it finds the one that its
// owner put in its place, if there is one.
func (a attacher) Launch(ctx context.Context, _ int) (jupyter.Kernel, error) {
	if err := alive(ctx, a.conn); err != nil {
		return nil, err
	}
	conn, err := jupyter.DialZMQ(ctx, a.conn, jupyter.ZMQOptions{})
	if err != nil {
		return nil, err
	}
	return attached{conn, a.conn, a.pid}, nil
}

// attached is a jupyter.Kernel that is not ours: only the connection to it is.
type attached struct {
	conn jupyter.Conn
	at   jupyter.Connection
	pid  int
}

// Beat implements jupyter.Beating.
func (a attached) Beat(ctx context.Context) error { return jupyter.Alive(ctx, a.at) }

// Conn implements jupyter.Kernel.
func (a attached) Conn() jupyter.Conn { return a.conn }

// PID implements jupyter.Kernel.
func (a attached) PID() int { return a.pid }

// Died implements jupyter.Kernel: the end of such a kernel is that of its connection.
func (attached) Died() <-chan struct{} { return nil }

// Death implements jupyter.Kernel.
func (attached) Death() *kernelclient.Death { return nil }

// Interrupt implements jupyter.Kernel: always by message.
func (attached) Interrupt() (sent bool, err error) { return false, nil }

// Stop implements jupyter.Kernel: the process goes on.
func (a attached) Stop(context.Context) error { return a.conn.Close() }
