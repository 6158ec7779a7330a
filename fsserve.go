package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// fileServer is `nbterm fs serve`.
type fileServer struct {
	root, listen, tokenFile string
	open                    bool
}

func newFSServe() *cobra.Command {
	var f fileServer
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a folder's files, as E2B's sandboxes serve theirs",
		Long: "serve gives a folder's files to other machines: to nbterm, and to the SDKs of E2B. It\n" +
			"asks for a token, which it makes and prints if there is no --token-file and NBTERM_TOKEN\n" +
			"is not set. Commands are not served, and nothing outside of the folder.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.root, "root", ".", "the folder `DIR` to serve")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:49983", "the `ADDRESS` to listen at; port 0 takes a free one")
	flags.StringVar(&f.tokenFile, "token-file", "", "read the token from this `FILE`")
	flags.BoolVar(&f.open, "no-auth-loopback", false, "ask for no token; only for an address that this machine alone reaches")
	return cmd
}

func (f *fileServer) run(ctx context.Context) error {
	token, err := f.token()
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s cannot be used: %w", f.listen, err)
	}
	defer ln.Close()
	if f.open && !ln.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return fmt.Errorf("--no-auth-loopback is for 127.0.0.1 and [::1] only; %s is reached by other machines", f.listen)
	}
	server, err := envd.NewServer(envd.ServerOptions{Root: f.root, Token: token, NoAuth: f.open, Hosts: f.hosts()})
	if err != nil {
		return fmt.Errorf("%s cannot be served: %w", f.root, err)
	}
	defer server.Close()
	if f.open {
		note("no token is asked for: every user and program of this machine can read and write " + f.root)
	}
	fmt.Printf("http://%s\n", ln.Addr())
	return serveUntilSignal(ctx, ln, server)
}

// hosts are the names under which clients may call.
func (f *fileServer) hosts() []string {
	var names []string
	if host, _, err := net.SplitHostPort(f.listen); err == nil && host != "" {
		names = append(names, host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}

// token is what clients have to know. One that is made here is shown once: there is no other
// way to learn it.
func (f *fileServer) token() (string, error) {
	switch {
	case f.open && f.tokenFile != "":
		return "", errors.New("--no-auth-loopback asks for no token, so --token-file cannot be given with it")
	case f.open:
		return "", nil
	case f.tokenFile != "":
		data, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return "", fmt.Errorf("--token-file cannot be read: %w", err)
		}
		token, _, _ := strings.Cut(string(data), "\n") // as clients read theirs
		if token = strings.TrimSpace(token); token == "" {
			return "", fmt.Errorf("--token-file %s has an empty first line", f.tokenFile)
		}
		return token, nil
	}
	if token := os.Getenv("NBTERM_TOKEN"); token != "" {
		return token, nil
	}
	token := rand.Text()
	note("token: " + token)
	return token, nil
}

// serveUntilSignal serves until a signal asks to end. Watches are told, transfers get five
// seconds to finish.
func serveUntilSignal(ctx context.Context, ln net.Listener, handler interface {
	http.Handler
	Close() error
},
) error {
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	sig, release := signals()
	defer release()
	var ended os.Signal
	select {
	case err := <-failed:
		return &batch.Error{Status: batch.NoKernel, Err: fmt.Errorf("serving ended: %w", err)}
	case <-ctx.Done():
	case ended = <-sig:
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	go func() { _ = handler.Close() }() // the caller's own Close waits for it
	if srv.Shutdown(bounded) != nil {
		_ = srv.Close() // what is left is cut
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving ended: %w", err)
	}
	switch ended {
	case os.Interrupt:
		return &batch.Error{Status: batch.Interrupted}
	case syscall.SIGTERM:
		return &batch.Error{Status: batch.Terminated}
	}
	return nil
}
