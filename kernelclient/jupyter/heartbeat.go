package jupyter

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter/zmtp"
)

// Alive asks whether a kernel answers at c, by its heartbeat, which most kernels answer
// also while they run code. It waits no longer than ctx. A kernel that has ended is Gone
// at once; one that lets ctx run out is NoAnswer.
func Alive(ctx context.Context, c Connection) error {
	if err := c.check(); err != nil {
		return err
	}
	port := c.HBPort
	if port <= 0 {
		port = c.ShellPort
	}
	endpoint := c.endpoint(port)
	if err := reachable(ctx, endpoint); err != nil || c.HBPort <= 0 {
		return err
	}
	return beat(ctx, endpoint)
}

// reachable tells a kernel that has ended from one that may live: a socket of package zmtp
// would try again and again.
func reachable(ctx context.Context, endpoint string) error {
	network, address := "tcp", strings.TrimPrefix(endpoint, "tcp://")
	if path, ok := strings.CutPrefix(endpoint, "ipc://"); ok {
		network, address = "unix", path
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	switch {
	case err == nil:
		return conn.Close()
	case ctx.Err() != nil:
		return noBeat()
	}
	return &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel has ended", Err: errors.Unwrap(err)}
}

func noBeat() error {
	return &kernelclient.Error{Kind: kernelclient.NoAnswer, What: "the kernel does not answer"}
}

// beat sends one heartbeat and waits for its echo.
func beat(ctx context.Context, endpoint string) error {
	heard := make(chan error, 2) // an echo, and the socket's end
	s, err := zmtp.Dial(endpoint, zmtp.Options{Type: zmtp.Req, Name: "heartbeat", Deliver: func(_ [][]byte, err error) {
		select {
		case heard <- err:
		default:
		}
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Send(ctx, []byte("nbterm")); err != nil {
		return noBeat()
	}
	select {
	case err := <-heard:
		if err != nil {
			return lostError(err)
		}
		return nil
	case <-ctx.Done():
		return noBeat()
	}
}
