// Fakeunsandbox serves a fake of Unsandbox on this machine until it is interrupted, for trying
// nbterm and for tests of whole programs. It prints the environment that clients need.
// POST /_fake/scenario turns its switches, GET /_fake/transcript returns all requests.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "fakeunsandbox:", err)
		os.Exit(1)
	}
}

func serve() error {
	run := flag.Bool("run", false, "run programs of python and bash on this machine, and sessions in its shell")
	scenario := flag.String("scenario", "", "`SWITCHES` to turn on, as in \"async=404 poll=503x2\"")
	concurrency := flag.Int("concurrency", 0, "active executions, 0 = no limit (`N`)")
	running := flag.Int("polls", 0, "polls that a job runs at least (`N`)")
	flag.Parse()
	s, err := unsandboxtest.New(unsandboxtest.Options{Run: *run, Concurrency: *concurrency, Running: *running})
	if err != nil {
		return err
	}
	defer s.Close()
	if !s.Set(*scenario) {
		return fmt.Errorf("there is no such switch among %q; they are %v", *scenario, unsandboxtest.Switches())
	}
	for _, kv := range s.Env("") {
		if !strings.HasPrefix(kv, "HOME=") {
			fmt.Println("export " + kv)
		}
	}
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	<-ch
	return nil
}
