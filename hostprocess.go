package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// restful is how long a host process stays with neither a kernel nor a client.
const restful = time.Minute

// newHost is the command of the host process, which clients start by themselves.
func newHost() *cobra.Command {
	var socket string
	var ready uint
	cmd := &cobra.Command{
		Use:    "host",
		Short:  "Own kernels for other nbterm programs (started by them where it is needed)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runHost(cmd.Context(), socket, ready)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "listen at this `PATH`")
	cmd.Flags().UintVar(&ready, "ready-fd", 0, "tell the file descriptor `N` when clients can connect")
	return cmd
}

func runHost(ctx context.Context, socket string, readyFD uint) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ch := make(chan os.Signal, 4)
	// Hang-ups are taken and not ignored: kernels would inherit that.
	signal.Notify(ch, syscall.SIGHUP, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(ch)
	go func() { // it ends with the process
		for s := range ch {
			if s != syscall.SIGHUP {
				cancel()
			}
		}
	}()
	var ready *os.File
	if readyFD > 2 {
		ready = os.NewFile(uintptr(readyFD), "ready")
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil)).With("pid", os.Getpid())
	settings, err := readConfig(configFile())
	if err != nil {
		log.Warn("the defaults are taken", "error", err) // the terminal program says it on the screen
		settings = defaults()
	}
	err = bridge.Process{
		Place: hostPlace(), Socket: socket, Ready: ready,
		Server: bridge.Options{
			Idle: restful, Version: version, Log: log, Files: newOwnFiles("/", homeFolder(), nil, log), Limit: settings.JournalLimit << 20,
			Host: func(a bridge.Surroundings) (kernelclient.Host, error) {
				t, err := hosts.FromWire(a.Target)
				if err != nil {
					return nil, err
				}
				h, err := hosts.Open(t, hosts.Options{Env: a.Env, Dir: a.Dir, Log: a.Log, Outlive: true, JobLog: jobLog(), Version: version, Warn: func(line string) { log.Warn(line) }})
				if here, ok := h.(*local.Host); ok { // a client on another machine may name no folder
					return rooted{Host: here, root: homeFolder()}, nil
				}
				return h, err
			},
			Adopt: settings.adopt,
		},
	}.Run(ctx)
	if err != nil {
		return &batch.Error{Status: batch.NoKernel, Err: err}
	}
	return nil
}

// adopt takes a context up that an earlier host process left.
func (c config) adopt(ctx context.Context, l bridge.Left) (kernelclient.Context, kernelclient.Host, error) {
	t := hosts.Target{Address: hosts.Address{Kind: hosts.Local}}
	if l.Info.Host != "" {
		var err error
		if t, err = c.again(l.Info.Host); err != nil {
			return nil, nil, err
		}
	}
	return hosts.Adopt(ctx, t, hosts.Options{Env: l.Env, Dir: l.Info.Dir, Outlive: true, JobLog: jobLog(), Version: version}, kernelclient.Adoption{Info: l.Info, Start: l.Spec, Log: l.Log})
}

// hostPlace is where this user's host process is.
func hostPlace() bridge.Place { return bridge.In(stateDir(), os.Getenv("XDG_RUNTIME_DIR")) }

// clientOptions are those of every client; with start, it starts the host process if there is none.
func (c *common) clientOptions(dir string, start bool) (bridge.ClientOptions, error) {
	t, err := c.hosted.resolve()
	if err != nil {
		return bridge.ClientOptions{}, err
	}
	return c.hosted.client(t, dir, start)
}

// client are the options of a client of one host.
func (h *hostFlags) client(t hosts.Target, dir string, start bool) (opt bridge.ClientOptions, err error) {
	if t.Kind == hosts.Process {
		opt, err = hosts.Bridge(t)
		if t.Remote != "" {
			link, err := h.links.to(t)
			if err != nil {
				return opt, err
			}
			opt.Dial = link.Dial
		}
		opt.Place, opt.Version = hostPlace(), version
		if t.Socket != "" {
			opt.Dir = dir
		}
		return opt, refused(err)
	}
	opt = bridge.ClientOptions{Place: hostPlace(), Version: version, Dir: dir}
	if t.Kind != hosts.Local {
		opt.Target = t.Wire()
	}
	if start {
		self, err := os.Executable()
		if err != nil {
			return opt, err
		}
		opt.Program, opt.Args = self, []string{"nbterm", "host"}
	}
	return opt, nil
}

// ensure connects to the host process, which is started where there is none.
func (c *common) ensure(ctx context.Context, dir string) (*bridge.Client, error) {
	opt, err := c.clientOptions(dir, true)
	if err != nil {
		return nil, err
	}
	client, err := bridge.Ensure(ctx, opt)
	if err != nil {
		if client != nil {
			_ = client.Close() // it is of another version
		}
		return nil, &batch.Error{Status: batch.NoKernel, Err: err}
	}
	return client, nil
}

// running connects to the host process for listing and stopping what it has, of whatever
// version it is. nil: there is none and nothing is left of one.
func (c *common) running(ctx context.Context) (*bridge.Client, error) {
	place := hostPlace()
	opt, err := c.clientOptions("", place.Left())
	if err != nil {
		return nil, err
	}
	client, err := bridge.Ensure(ctx, opt)
	var version *bridge.VersionError
	switch {
	case errors.As(err, &version):
		return client, nil
	case bridge.NoHost(err) && opt.Socket == "":
		return nil, nil
	case err != nil:
		return nil, &batch.Error{Status: batch.NoKernel, Err: err}
	}
	return client, nil
}

// addContext adds the flag of commands that may run code in a kept context.
func addContext(cmd *cobra.Command, c *common) {
	cmd.Flags().StringVar(&c.context, "context", "", "run in the kept context of this `NAME` or ID: its state lasts between calls")
}
