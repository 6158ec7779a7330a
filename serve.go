package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/fswatch/envd"
	"github.com/nbterm/nbterm/kernelclient/bridge/e2bface"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// server is `nbterm serve`.
type server struct {
	listen, root, tokenFile string
	e2b, open               bool
	e2bPort, envdPort       int
	metrics                 string
	cert, key               string
	contexts                int
	idle, startup           limit
}

func newServe(c *common) *cobra.Command {
	var s server
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Let other programs run code here: E2B's SDKs",
		Long: "serve runs code that other programs send, in the kernels of this machine and as you: it is\n" +
			"no sandbox. With --e2b it answers as E2B's code interpreter does, at the ports that its SDKs\n" +
			"expect. It asks for a token, which it makes and prints if there is no --token-file and\n" +
			"NBTERM_TOKEN is not set.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.startup = c.startup
			return s.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.e2b, "e2b", false, "answer as E2B's code interpreter, its file service and its control plane")
	flags.StringVar(&s.listen, "listen", "localhost", "the `HOST` to listen at, both loopback addresses by default")
	flags.IntVar(&s.e2bPort, "e2b-port", 49999, "the `PORT` of the code interpreter; 0 takes a free one")
	flags.IntVar(&s.envdPort, "envd-port", 49983, "the `PORT` of the file service; 0 takes a free one")
	flags.StringVar(&s.root, "root", ".", "the folder `DIR` that code and files begin in")
	flags.StringVar(&s.tokenFile, "token-file", "", "read the token from this `FILE`")
	flags.BoolVar(&s.open, "no-auth-loopback", false, "ask for no token, for the SDKs' debug mode; only for an address that this machine alone reaches")
	flags.StringVar(&s.metrics, "metrics", "", "tell figures for Prometheus at this `ADDRESS`, without a token; only loopback")
	flags.StringVar(&s.cert, "tls-cert", "", "speak TLS with the certificate in this `FILE`")
	flags.StringVar(&s.key, "tls-key", "", "the certificate's key, a `FILE`")
	flags.IntVar(&s.contexts, "max-contexts", 100, "how many contexts there may be; 0 = no limit")
	limitFlag(flags, &s.idle, "idle-timeout", 0, "end after so many seconds without a request; 0 = never")
	return cmd
}

func (s *server) check() error {
	switch {
	case !s.e2b:
		return errors.New("it serves nothing yet: say --e2b")
	case s.open && s.tokenFile != "":
		return errors.New("--no-auth-loopback asks for no token, so --token-file cannot be given with it")
	case (s.cert == "") != (s.key == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	case s.open && !loopback(s.listen):
		return fmt.Errorf("--no-auth-loopback is for 127.0.0.1 and [::1] only; %s is reached by other machines", s.listen)
	}
	if s.metrics == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(s.metrics)
	if err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	if !loopback(host) {
		return fmt.Errorf("--metrics %s asks for no token and is reached by other machines", s.metrics)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// secret is the token: of the file, of the environment, or a new one in the form of an E2B key.
func (s *server) secret() (string, error) {
	switch {
	case s.open:
		return "", nil
	case s.tokenFile == "" && os.Getenv("NBTERM_TOKEN") == "":
		var b [20]byte
		_, _ = rand.Read(b[:]) // it never fails
		token := "e2b_" + hex.EncodeToString(b[:])
		note("token: " + token)
		return token, nil
	}
	f := fileServer{tokenFile: s.tokenFile}
	return f.token()
}

func (s *server) run(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	token, err := s.secret()
	if err != nil {
		return err
	}
	root, err := filepath.Abs(s.root)
	if err != nil {
		return err
	}
	opt := serve.Options{Idle: time.Duration(s.idle), Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if s.listen != "localhost" {
		opt.Hosts = append(opt.Hosts, strings.Trim(s.listen, "[]"))
	}
	if name, err := os.Hostname(); err == nil {
		opt.Hosts = append(opt.Hosts, name)
	}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key cannot be used: %w", err)
		}
		opt.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	return s.serve(ctx, serve.New(opt), opt, root, token)
}

// serve listens before anything starts, so that a port that is taken is known at once.
func (s *server) serve(ctx context.Context, to *serve.Server, opt serve.Options, root, token string) error {
	code, err := s.listenAt("--e2b-port", s.e2bPort)
	if err != nil {
		return err
	}
	files, err := s.listenAt("--envd-port", s.envdPort)
	if err != nil {
		closeAll(code)
		return err
	}
	sandboxes, err := os.MkdirTemp("", "nbterm-serve-")
	if err != nil {
		closeAll(append(code, files...))
		return err
	}
	defer func() { _ = os.RemoveAll(sandboxes) }()
	host := local.New(local.Options{Dir: root, Forget: true})
	defer host.Close()
	face, err := e2bface.New(e2bface.Options{
		Host: host, Root: root, Sandboxes: sandboxes, Env: os.Environ(), Token: token, NoAuth: s.open,
		MaxContexts: s.contexts, Startup: time.Duration(s.startup), Log: opt.Log,
		Files: func(root, token string) (e2bface.Files, error) {
			return envd.NewServer(envd.ServerOptions{Root: root, Token: token, NoAuth: token == "", Hosts: opt.Hosts})
		},
	})
	if err != nil {
		closeAll(append(code, files...))
		return fmt.Errorf("%s cannot be served: %w", root, err)
	}
	to.Add(face, code...)
	to.Add(filesOf(face), files...)
	if err := s.addMetrics(to, face); err != nil {
		closeAll(append(code, files...))
		end(face)
		return err
	}
	s.announce(code[0].Addr(), files[0].Addr())
	return servedUntilSignal(ctx, func(ctx context.Context) error { return to.Serve(ctx, func() { end(face) }) })
}

// announce says where the server is, and what it means that it is there.
func (s *server) announce(code, files net.Addr) {
	note("code that is sent here runs as you, on this machine")
	if s.open {
		note("no token is asked for: every user and program of this machine can run code as you")
	}
	scheme := "http"
	if s.cert != "" {
		scheme = "https"
	}
	fmt.Printf("%s://%s\n%s://%s\n", scheme, code, scheme, files)
}

func (s *server) listenAt(flag string, port int) ([]net.Listener, error) {
	ls, err := serve.Listen(net.JoinHostPort(strings.Trim(s.listen, "[]"), strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("%s %d cannot be used: %w", flag, port, err)
	}
	return ls, nil
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		_ = l.Close() // nothing was served
	}
}

// end ends the face's kernels: gently for a few seconds.
func end(face *e2bface.Face) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	face.Close(ctx)
}

// servedUntilSignal serves until a signal asks to end.
func servedUntilSignal(ctx context.Context, serve func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sig, release := signals()
	defer release()
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }() // it is waited for
	var ended os.Signal
	var err error
	select {
	case err = <-done:
	case ended = <-sig:
		cancel()
		err = <-done
	}
	switch {
	case err != nil:
		return &batch.Error{Status: batch.NoKernel, Err: err}
	case ended == os.Interrupt:
		return &batch.Error{Status: batch.Interrupted}
	case ended == syscall.SIGTERM:
		return &batch.Error{Status: batch.Terminated}
	}
	return nil
}
