package sshlink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/yamux"
)

// Serve is the other end of a Link: it says on out that it is there, takes connections that
// come in, and carries each to one that dial makes. It ends with in or ctx, or when nothing
// is heard any more; in and out are closed then, which is to end what waits for them.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, dial func(context.Context) (net.Conn, error)) error {
	return serve(ctx, ends{in, out}, deaf, dial)
}

func serve(ctx context.Context, out ends, deaf time.Duration, dial func(context.Context) (net.Conn, error)) error {
	if _, err := fmt.Fprintf(out, "%sready\n", mark); err != nil {
		return err
	}
	session, err := yamux.Server(out, muxed(deaf))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	var all sync.WaitGroup
	defer all.Wait()
	defer func() { _ = session.Close() }() // before the connections are waited for
	for {
		from, err := session.AcceptStream()
		if err != nil {
			if errors.Is(err, io.EOF) || session.IsClosed() {
				return nil
			}
			return err
		}
		all.Go(func() { carry(ctx, from, dial) })
	}
}

// Fail is Serve for a machine where nothing can be served, and says why.
func Fail(out io.Writer, why error) error {
	_, err := fmt.Fprintf(out, "%sfailed %s\n", mark, oneLine(why.Error()))
	return err
}

func oneLine(text string) string {
	clean := []rune(text)
	for i, r := range clean {
		if r == '\n' || r == '\r' {
			clean[i] = ' '
		}
	}
	return string(clean)
}

// carry joins two connections until one of them ends.
func carry(ctx context.Context, from net.Conn, dial func(context.Context) (net.Conn, error)) {
	defer from.Close()
	to, err := dial(ctx)
	if err != nil {
		return // the client finds its connection closed, and tries again
	}
	defer to.Close()
	done := make(chan struct{})
	go func() { // it ends with either connection, for both are closed then
		defer close(done)
		_, _ = io.Copy(to, from) // whoever is at the ends sees that it broke
		_ = to.Close()
	}()
	_, _ = io.Copy(from, to)
	_ = from.Close()
	<-done
}

// ends are standard input and output as one connection.
type ends struct {
	in io.ReadCloser
	io.WriteCloser
}

func (e ends) Read(b []byte) (int, error) { return e.in.Read(b) }

func (e ends) Close() error { return errors.Join(e.in.Close(), e.WriteCloser.Close()) }
