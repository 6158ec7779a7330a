package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session/batch"
	"github.com/nbterm/nbterm/render"
)

// hostFlags say where code runs and how to be let in.
type hostFlags struct {
	url string
	hosts.Settings
	target *hosts.Target // what they come to, nil until it was asked for
	links  *links
}

func (h *hostFlags) add(f *pflag.FlagSet) {
	h.links = &links{}
	f.StringVar(&h.url, "host", "local", "where code runs (`URL`): "+hosts.Forms)
	f.StringVar(&h.TokenFile, "token-file", "", "the host's token is in the first line of this `FILE`")
	f.StringVar(&h.CAFile, "ca-file", "", "trust the certificates in this `FILE` (PEM) for --host")
	f.BoolVar(&h.Insecure, "insecure", false, "take any certificate of --host: anybody on the way can read and change what is sent")
	f.BoolVar(&h.Keep, "keep", false, "leave a sandbox that was made for this run")
	f.BoolVar(&h.ViaServer, "via-jupyter", false, "use the Jupyter server inside an E2B sandbox")
	f.StringVar(&h.Account, "account", "", "the row `N` of Unsandbox's accounts file, from 0")
}

// resolve finds out which host is meant: the config file may have a name for it, and more
// settings. It is asked once.
func (h *hostFlags) resolve() (hosts.Target, error) {
	if h.target != nil {
		return *h.target, nil
	}
	url, more := h.url, hosts.Settings{}
	if url != "" && url != string(hosts.Local) {
		settings, err := readConfig(configFile())
		if err != nil {
			return hosts.Target{}, err
		}
		url, more = settings.host(url)
	}
	a, in, err := hosts.Parse(url)
	if err != nil {
		return hosts.Target{}, err
	}
	if h.url == url && in != (hosts.Secrets{}) {
		note("the token in the address shows in the shell's history and in lists of processes; --token-file, NBTERM_TOKEN or the config file do not")
	}
	t, err := hosts.Resolve(a, in, h.over(more), os.Getenv)
	if err == nil {
		t, err = confirmed(t)
	}
	if err == nil {
		h.target = &t
	}
	return t, err
}

// askPassword asks for the password of a Jupyter server that wants one, where neither a
// token nor a password is set and somebody is there to be asked.
func (h *hostFlags) askPassword(ctx context.Context) error {
	t, err := h.resolve()
	if err != nil || t.Kind != hosts.Jupyter || t.Token+t.Password != "" || !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return err
	}
	server, err := hosts.Open(t, hosts.Options{})
	if err != nil {
		return refused(err)
	}
	defer server.Close()
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := server.Kernels(short); !errors.Is(err, kernelclient.Unauthenticated) {
		return nil // whatever else is wrong is told when the server is used
	}
	fmt.Fprintf(os.Stderr, "Password for %s: ", render.Sanitize(t.URL))
	line, err := hidden(ctx)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return err
	}
	t.Password = hosts.Secret(line)
	h.target = &t
	return nil
}

// over puts the flags over what the config file says.
func (h *hostFlags) over(s hosts.Settings) hosts.Settings {
	s.TokenFile, s.CAFile, s.Account = cmp.Or(h.TokenFile, s.TokenFile), cmp.Or(h.CAFile, s.CAFile), cmp.Or(h.Account, s.Account)
	s.Insecure, s.Keep, s.ViaServer = h.Insecure || s.Insecure, h.Keep || s.Keep, h.ViaServer || s.ViaServer
	return s
}

// host is the address that a name or an address stands for, and what is set for it.
func (c config) host(name string) (url string, s hosts.Settings) {
	if h, ok := c.Hosts[name]; ok {
		return h.URL, h.Settings
	}
	if a, _, err := hosts.Parse(name); err == nil { // another spelling of one that has a name
		return name, c.settingsOf(a.URL)
	}
	return name, s
}

// settingsOf are those of the host at an address as contexts have it.
func (c config) settingsOf(url string) hosts.Settings {
	for _, h := range c.Hosts {
		if a, _, err := hosts.Parse(h.URL); err == nil && a.URL == url {
			return h.Settings
		}
	}
	return hosts.Settings{}
}

// again finds the target of a context that was left running on another host: its secrets
// were kept nowhere, so they come from the config file and the environment once more.
func (c config) again(url string) (hosts.Target, error) {
	a, _, err := hosts.Parse(url)
	if err != nil {
		return hosts.Target{}, err
	}
	s, in := c.settingsOf(url), hosts.Secrets{}
	for _, h := range c.Hosts {
		if same, secrets, err := hosts.Parse(h.URL); err == nil && same.URL == url {
			in = secrets
		}
	}
	return hosts.Resolve(a, in, s, os.Getenv)
}

// direct is a host of this process's own: what runs there ends with it.
func (c *common) direct(t hosts.Target, dir string) (kernelclient.Host, error) {
	h, err := hosts.Open(t, hosts.Options{Dir: dir, Forget: true, JobLog: jobLog(), Version: version, Warn: note})
	return h, refused(err)
}

// jobLog is the file that notes jobs of services, so that a later program can fetch them.
func jobLog() string { return filepath.Join(stateDir(), "unsandbox-jobs.jsonl") }

// workDir is the folder where code runs. On another machine it is the one that --cwd names
// there, else that of a notebook which lies there, "" for that host's own choice.
func (c *common) workDir(file string) (string, error) {
	t, err := c.hosted.resolve()
	if err != nil {
		return "", err
	}
	if !far(t) {
		return c.folder(file)
	}
	if there, ok := strings.CutPrefix(file, t.URL+"/"); ok && c.cwd == "" && contextHost(t) == "" {
		return path.Dir("/" + there), nil
	}
	return c.cwd, nil
}

// nearby is the folder on this machine where kernels and files are looked for first.
func (c *common) nearby(file string) (string, error) {
	t, err := c.hosted.resolve()
	if err != nil {
		return "", err
	}
	if far(t) {
		if diskfile.IsRemote(file) {
			return filepath.Abs(".")
		}
		return filepath.Abs(filepath.Dir(file)) // --cwd is one of the other machine
	}
	return c.folder(file)
}

// runLimit is how long a run may take where --timeout does not say it: services end what
// takes too long anyway, and --timeout 0 is as long as they allow.
func (c *common) runLimit(given bool, timeout limit) time.Duration {
	const e2bLimit, unsandboxLimit = 300 * time.Second, 900 * time.Second
	t, err := c.hosted.resolve()
	switch {
	case err != nil: // that is said when the host is opened
	case !given && (t.Kind == hosts.E2B || t.Kind == hosts.E2BServer):
		return e2bLimit
	case given && timeout == 0 && t.Kind == hosts.Unsandbox:
		return unsandboxLimit
	}
	return time.Duration(timeout)
}

// kept is the host for --context: the context of that name in the host process, else the
// one of that id on the host itself, else a new one of that name.
func (c *common) kept(ctx context.Context, t hosts.Target, dir string) (kernelclient.Host, error) {
	client, err := c.ensure(ctx, dir)
	if err != nil {
		return nil, err
	}
	id, err := c.onHost(ctx, client, t, dir)
	if err != nil {
		_ = client.Close() // nothing was begun
		return nil, refused(err)
	}
	if id == "" {
		return client.Named(c.context, c.kernel, contextHost(t)), nil
	}
	_ = client.Close() // it is not needed
	there, err := c.direct(t, dir)
	if err != nil {
		return nil, err
	}
	return visiting{there, id}, nil
}

// contextHost is what contexts say of a host: nothing where the host process itself has them.
func contextHost(t hosts.Target) string {
	if t.Kind == hosts.Process {
		return ""
	}
	return t.URL
}

// far tells whether a host is another machine, so that this one's folders mean nothing to it.
func far(t hosts.Target) bool { return t.Kind != hosts.Local && t.Socket == "" }

// onHost is the id of a context that another host has and no host process of this machine
// keeps, "" if there is none.
func (c *common) onHost(ctx context.Context, client *bridge.Client, t hosts.Target, dir string) (kernelclient.ContextID, error) {
	if contextHost(t) == "" {
		return "", nil
	}
	if _, found, err := client.Find(ctx, c.context, t.URL); err != nil || found {
		return "", err
	}
	there, err := c.direct(t, dir)
	if err != nil {
		return "", err
	}
	defer there.Close()
	list, err := there.Contexts(ctx)
	for _, i := range list {
		if called(i, c.context) {
			return i.ID, nil
		}
	}
	return "", err
}

// refused gives an error of a host its status.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return &batch.Error{Status: batch.StatusOf(err), Err: err}
}

// visiting is a host whose Start joins a context that is there already, and ends nothing.
type visiting struct {
	kernelclient.Host
	id kernelclient.ContextID
}

// Start implements kernelclient.Host.
func (v visiting) Start(ctx context.Context, _ kernelclient.StartSpec) (kernelclient.Context, error) {
	c, err := v.Attach(ctx, v.id)
	if err != nil {
		return nil, err
	}
	return bridge.Visit(c), nil
}
