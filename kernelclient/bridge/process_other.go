//go:build !unix

package bridge

import (
	"context"
	"net"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
)

// Process is a host process to be; there is none on this system.
type Process struct {
	Place  Place
	Socket string
	Server Options
	Ready  *os.File
}

func unsupported() error {
	return &kernelclient.Error{Kind: kernelclient.Unsupported, What: "there is no host process on this system", Next: "--no-host works without it"}
}

// Run is Unsupported.
func (Process) Run(context.Context) error { return unsupported() }

// Serving is Unsupported: what a server keeps cannot be locked here.
func (Place) Serving(string) (own Place, release func() error, err error) {
	return own, nil, unsupported()
}

type starter struct {
	place   Place
	program string
	args    []string
}

func (s *starter) start(context.Context) (net.Conn, error) { return nil, unsupported() }

func (s *starter) reap() {}

func (p Place) connect(context.Context) (net.Conn, error) { return nil, unsupported() }

func connectTo(context.Context, string) (net.Conn, error) { return nil, unsupported() }
