package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"

	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/sshlink"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// links are the ssh connections of this process, one for each machine.
type links struct {
	install bool // nbterm may be put where it is missing, without a question

	mu     sync.Mutex // guards all below
	of     map[string]*sshlink.Link
	screen bool // the terminal is taken: ssh may not ask there
}

// to is the link to the machine of an ssh:// address. While the terminal is free the
// connection is made at once, so that ssh can ask for what it needs.
func (l *links) to(t hosts.Target) (*sshlink.Link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if link := l.of[t.URL]; link != nil {
		return link, nil
	}
	u, err := url.Parse(t.Remote)
	if err != nil {
		return nil, err
	}
	opt := sshlink.Options{Host: u.Hostname(), Stderr: os.Stderr, Program: os.Getenv("NBTERM_SSH"), Copy: l.program}
	if user := u.User.Username(); user != "" {
		opt.Host = user + "@" + opt.Host
	}
	if port := u.Port(); port != "" {
		opt.Args = []string{"-p", port}
	}
	link := sshlink.New(opt)
	if !l.screen {
		if err := link.Connect(context.Background()); err != nil { // Ctrl-C ends ssh, and so this
			_ = link.Close() // it only lets go
			if errors.Is(err, sshlink.ErrInterrupted) {
				fmt.Fprintln(os.Stderr) // the question had no end of line
				return nil, &batch.Error{Status: batch.Interrupted, Err: err}
			}
			return nil, refused(err)
		}
	}
	if l.of == nil {
		l.of = map[string]*sshlink.Link{}
	}
	l.of[t.URL] = link
	return link, nil
}

// takeScreen has links ask nothing any more.
func (l *links) takeScreen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.screen = true
}

// close ends all connections.
func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, link := range l.of {
		_ = link.Close() // it only lets go
	}
	l.of = nil
}
