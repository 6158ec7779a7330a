package main

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/notebook/session"
)

// keeps tells whether kernels of the terminal program live in the host process, so that
// they can outlive it.
func (c *common) keeps() bool {
	return !c.noHost && c.existing == "" && runtime.GOOS != "windows"
}

// noHostByDefault is for those who never want a second process.
func noHostByDefault() bool {
	v := os.Getenv("NBTERM_NO_HOST")
	return v != "" && v != "0"
}

// keeper is the host process as the terminal program uses it: nothing is started for only
// looking whether a kernel was left.
type keeper struct {
	*bridge.Client
	left func() bool // whether there may be one
	only string      // the address of the host that the user named: what runs elsewhere is not meant; "" is any
}

// Contexts implements kernelclient.Host.
func (k keeper) Contexts(ctx context.Context) ([]kernelclient.ContextInfo, error) {
	if !k.left() {
		return nil, nil
	}
	list, err := k.Client.Contexts(ctx)
	return slices.DeleteFunc(list, func(i kernelclient.ContextInfo) bool { return k.only != "" && !hosts.Same(i.Host, k.only) }), err
}

// offline is how long the terminal program looks for another machine's kernels: a night.
const offline = 12 * time.Hour

// keeping is the host of kernels that outlive the terminal program. It is connected to, and
// started, when it is needed first.
func (c *common) keeping(t hosts.Target, dir string) (kernelclient.Host, error) {
	opt, err := c.hosted.client(t, dir, true)
	if err != nil {
		return nil, err
	}
	opt.Patience = offline
	left := opt.Place.Used
	if t.Kind == hosts.Process {
		left = func() bool { return true }
	}
	return keeper{bridge.New(opt), left, contextHost(t)}, nil
}

// places are the hosts of the config file, and this machine, that the terminal program can
// choose kernels on besides the one that it was started with.
func (c *common) places(settings config, path string) ([]session.Place, error) {
	now, err := c.hosted.resolve()
	if err != nil {
		return nil, err
	}
	dir, err := c.nearby(path)
	if err != nil {
		return nil, err
	}
	var out []session.Place
	add := func(name, address, work string, target func() (hosts.Target, error)) {
		out = append(out, session.Place{Name: name, Address: address, Dir: work, Open: func() (kernelclient.Host, error) {
			t, err := target()
			if err != nil {
				return nil, err
			}
			if c.lasting {
				return c.keeping(t, dir)
			}
			return c.direct(t, dir)
		}})
	}
	if now.Kind != hosts.Local {
		local := hosts.Target{Address: hosts.Address{Kind: hosts.Local}}
		add("this machine", "", dir, func() (hosts.Target, error) { return local, nil })
	}
	for _, name := range slices.Sorted(maps.Keys(settings.Hosts)) {
		a, _, err := hosts.Parse(settings.Hosts[name].URL)
		if err != nil || a.URL == now.URL { // the first cannot be: the settings were checked
			continue
		}
		add(name, a.URL, "", func() (hosts.Target, error) { return settings.again(a.URL) })
	}
	return out, nil
}
