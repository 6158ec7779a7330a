package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
)

// common holds the flags that every command with a kernel has.
type common struct {
	kernel   string
	existing string
	env      []string
	cwd      string
	logFile  string
	hosted   hostFlags
	fsUser   string // of a sandbox, for its files
	envd     string // the address of the file service, "" for beside the code
	context  string
	noHost   bool
	lasting  bool   // kernels are to outlive the program, where they can
	treeRoot string // of another machine, where the tree begins, and opens at once; "" for the notebook's
	startup  limit

	fsRequest, fsSilence limit // of file services
}

func (c *common) add(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.kernel, "kernel", "", "the kernel's `NAME`, as \"nbterm kernels\" lists it")
	f.StringVar(&c.existing, "existing", "", "use the running kernel of this connection `FILE`, or the latest one (\"latest\"); it is not ended")
	f.StringArrayVar(&c.env, "env", nil, "an environment variable `K=V` for the kernel (repeatable; never saved)")
	f.StringVar(&c.cwd, "cwd", "", "the kernel's working folder `DIR` (default: the notebook's)")
	f.StringVar(&c.logFile, "log", os.Getenv("NBTERM_LOG"), "append a debug log to this `FILE` (no code, no outputs)")
	c.hosted.add(f)
	f.StringVar(&c.envd, "envd", "", "the file service (`URL`) of an e2b+http host, where it is not at the same address; alone: whose files the tree shows")
	f.BoolVar(&c.noHost, "no-host", noHostByDefault(), "keep the terminal program's kernels in its own process: they end with it")
	limitFlag(f, &c.startup, "startup-timeout", 60, "seconds a kernel may take to start; 0 = no limit")
}

func (c *common) check() error {
	for _, kv := range c.env {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" {
			return fmt.Errorf("--env %q is not of the form K=V", kv)
		}
	}
	if c.existing != "" && (c.kernel != "" || c.cwd != "" || len(c.env) > 0) {
		return errors.New("--existing takes a kernel as it runs: --kernel, --cwd and --env cannot be given with it")
	}
	return nil
}

// host is where code runs. dir is where environments are looked for first.
func (c *common) host(ctx context.Context, dir string) (kernelclient.Host, func(), error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	if err := c.hosted.askPassword(ctx); err != nil {
		return nil, nil, err
	}
	t, err := c.hosted.resolve()
	if err != nil {
		return nil, nil, err
	}
	h, err := c.hostAt(ctx, t, dir)
	if err != nil {
		return nil, nil, err
	}
	return c.logged(h)
}

func (c *common) hostAt(ctx context.Context, t hosts.Target, dir string) (kernelclient.Host, error) {
	switch {
	case c.lasting:
		return c.keeping(t, dir)
	case c.context != "":
		return c.kept(ctx, t, dir)
	case t.Kind == hosts.Process:
		client, err := c.ensure(ctx, dir)
		if err != nil {
			return nil, err
		}
		return client, nil
	}
	return c.direct(t, dir)
}

// oneFile is the check of commands that take one file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("it takes one notebook: %s", cmd.UseLine())
	}
	return nil
}

// folder is the kernel's working folder: --cwd, else that of the file, else this one.
func (c *common) folder(file string) (string, error) {
	dir := c.cwd
	if dir == "" {
		dir = filepath.Dir(file)
	}
	if dir == filepath.Dir(file) && diskfile.IsRemote(file) {
		dir = "." // it has no folder here
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("the working folder %s cannot be used: %w", dir, errors.Unwrap(err))
	} else if !info.IsDir() {
		return "", fmt.Errorf("the working folder %s is not a folder", dir)
	}
	return dir, nil
}

// signals delivers what asks the program to end. A hang-up does not where it was ignored at
// the start: that is what nohup is for.
func signals() (<-chan os.Signal, func()) {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	return ch, func() { signal.Stop(ch) }
}

// read opens a notebook file. With create, one that does not exist is a new notebook.
func read(path string, create bool) (*notebook.Document, *diskfile.File, error) {
	data, file, err := diskfile.Read(path)
	if create && errors.Is(err, os.ErrNotExist) {
		return notebook.New(), diskfile.New(path), nil
	}
	if err != nil {
		return nil, nil, err
	}
	doc, err := notebook.Parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return doc, file, nil
}

// session joins a document with a kernel to be.
func (c *common) session(ctx context.Context, doc *notebook.Document, path string, more session.Options) (*session.Session, func(), error) {
	t, err := c.hosted.resolve()
	if err != nil {
		return nil, nil, err
	}
	near, err := c.nearby(path)
	if err != nil {
		return nil, nil, err
	}
	dir, err := c.workDir(path)
	if err != nil {
		return nil, nil, err
	}
	host, closeHost, err := c.host(ctx, near)
	if err != nil {
		return nil, nil, err
	}
	more.Kernel, more.Existing, more.Dir, more.Env, more.StartupTimeout = c.kernel, c.existing, dir, c.env, time.Duration(c.startup)
	more.Path, more.Lasting, more.Far = diskfile.RealPath(path), c.lasting, far(t)
	return session.New(doc, host, more), closeHost, nil
}
