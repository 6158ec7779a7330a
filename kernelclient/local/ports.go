package local

import (
	"errors"
	"fmt"
	"net"
)

// freePorts finds n ports of the loopback interface. All are held until the last one is
// known, so that they differ; whoever binds one before the kernel does wins.
func freePorts(n int) (ports []int, err error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			err = errors.Join(err, l.Close())
		}
	}()
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("finding ports for the kernel: %w", err)
		}
		held = append(held, l)
		addr, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("finding ports for the kernel: odd address %s", l.Addr())
		}
		ports = append(ports, addr.Port)
	}
	return ports, nil
}
