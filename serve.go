package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/isolate"
)

// server is `nbterm serve`.
type server struct {
	listen, root, tokenFile string
	host, port              string // of listen; the port is "" where none was given
	names                   []string
	e2b, jupyter, open      bool
	generated               bool // the token was made for this run
	e2bPort, envdPort       int
	metrics                 string
	cert, key               string
	contexts                int
	idle, startup           limit
	rate                    float64 // requests a second from an address
	tell                    bool    // of each request
	isolation               isolation
	box                     *isolate.Box // where kernels run, nil: as this process does
}

// defaultPort is where the server's own face is, and all that shares its listener.
const defaultPort = "8890"

func newServe(c *common) *cobra.Command {
	var s server
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Let other programs run code here: nbterm on other machines, Jupyter's clients, E2B's SDKs",
		Long: "serve runs code that other programs send, in the kernels of this machine and as you: it is\n" +
			"no sandbox. nbterm on another machine reaches it with --host nbterm+http://HOST:PORT. With\n" +
			"--jupyter it also answers as a Jupyter Server does, for JupyterLab, VS Code and Jupyter's other\n" +
			"clients, and with --e2b as E2B's code interpreter, at the ports that its SDKs expect. It asks\n" +
			"for a token, which it makes and prints if there is no --token-file and NBTERM_TOKEN is\n" +
			"not set.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.startup = c.startup
			return s.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.e2b, "e2b", false, "also answer as E2B's code interpreter, its file service and its control plane")
	flags.BoolVar(&s.jupyter, "jupyter", false, "also answer as a Jupyter Server, with the kernels of this machine and the files in --root")
	flags.StringVar(&s.listen, "listen", "localhost", "listen at this `HOST[:PORT]`: both loopback addresses and port "+defaultPort+" by default; port 0 takes a free one")
	flags.StringArrayVar(&s.names, "name", nil, "a `NAME` by which clients call this machine, beside its own, its addresses and the certificate's (repeatable)")
	flags.IntVar(&s.e2bPort, "e2b-port", 49999, "the `PORT` of the code interpreter; 0 takes a free one")
	flags.IntVar(&s.envdPort, "envd-port", 49983, "the `PORT` of the file service; 0 takes a free one")
	flags.StringVar(&s.root, "root", ".", "the folder `DIR` that code and files begin in")
	flags.StringVar(&s.tokenFile, "token-file", "", "read the token from this `FILE`")
	flags.BoolVar(&s.open, "no-auth-loopback", false, "ask for no token, for the SDKs' debug mode; only for an address that this machine alone reaches")
	flags.StringVar(&s.metrics, "metrics", "", "tell figures for Prometheus at this `ADDRESS`, without a token; only loopback")
	flags.StringVar(&s.cert, "tls-cert", "", "speak TLS with the certificate in this `FILE`")
	flags.StringVar(&s.key, "tls-key", "", "the certificate's key, a `FILE`")
	flags.IntVar(&s.contexts, "max-contexts", 100, "how many contexts there may be; 0 = no limit")
	flags.Float64Var(&s.rate, "max-rate", 0, "how many requests a `SECOND` an address may make, twice as many at once; 0 = no limit")
	flags.BoolVar(&s.tell, "log-requests", false, "log each request: its method, the first part of its path and how long it took")
	s.isolation.flags(flags)
	limitFlag(flags, &s.idle, "idle-timeout", 0, "end after so many seconds without a request; 0 = never")
	return cmd
}

func (s *server) check() error {
	s.host, s.port = s.listen, ""
	if host, port, err := net.SplitHostPort(s.listen); err == nil {
		s.host, s.port = host, port
	}
	s.host = strings.Trim(s.host, "[]")
	switch {
	case s.open && s.tokenFile != "":
		return errors.New("--no-auth-loopback asks for no token, so --token-file cannot be given with it")
	case (s.cert == "") != (s.key == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	case s.rate < 0 || math.IsNaN(s.rate):
		return errors.New("--max-rate takes a number of 0 or more")
	case s.open && !loopback(s.host):
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
		s.generated = true
		note("token: " + token)
		return token, nil
	}
	f := fileServer{tokenFile: s.tokenFile}
	token, err := f.token()
	if err == nil {
		err = os.Unsetenv("NBTERM_TOKEN") // kernels have this process's environment
	}
	return token, err
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
	if s.box, err = s.isolation.box(ctx, root, s.tokenFile, s.key); err != nil {
		return err
	}
	level := slog.LevelWarn
	if s.tell {
		level = slog.LevelInfo
	}
	opt := serve.Options{
		Idle: time.Duration(s.idle), Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
		Hosts: s.called(), Rate: s.rate, Calls: []string{"api", "contexts", "execute", "files", "filesystem.Filesystem", "health", "process.Process", "sandboxes", "v1", "v2"},
	}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key cannot be used: %w", err)
		}
		opt.Hosts = append(opt.Hosts, pair.Leaf.DNSNames...)
		opt.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	return s.serve(ctx, serve.New(opt), opt, root, token)
}

// called is the names under which clients may call.
func (s *server) called() []string {
	names := s.names
	if s.host != "localhost" && s.host != "" {
		names = append(names, s.host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}
