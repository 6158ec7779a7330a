package main

import (
	"context"
	"os"
	"runtime"
	"slices"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/bridge"
	"github.com/nbterm/nbterm/kernelclient/hosts"
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

// keeping is the host of kernels that outlive the terminal program. It is connected to, and
// started, when it is needed first.
func (c *common) keeping(dir string) (kernelclient.Host, error) {
	opt, err := c.clientOptions(dir, true)
	if err != nil {
		return nil, err
	}
	left := opt.Place.Used
	if opt.Socket != "" {
		left = func() bool { return true }
	}
	t, err := c.hosted.resolve()
	return keeper{bridge.New(opt), left, contextHost(t)}, err
}
