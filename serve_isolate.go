package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/nbterm/nbterm/kernelclient/isolate"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// isolation is what `nbterm serve` keeps from the code that it runs.
type isolation struct {
	on, offline bool
	memory      int64 // MiB
}

func (i *isolation) flags(flags *pflag.FlagSet) {
	flags.BoolVar(&i.on, "isolate", false, "run each context in bubblewrap: it writes to --root alone, and has processes and a /tmp of its own")
	flags.BoolVar(&i.offline, "isolate-offline", false, "with --isolate: without a network")
	flags.Int64Var(&i.memory, "max-memory", 0, "how many `MiB` of data each process of a context may have; 0 = no limit")
}

// box is where kernels are to run. Where it cannot be made, nothing is to be served.
func (i *isolation) box(ctx context.Context, root string, secrets ...string) (*isolate.Box, error) {
	switch {
	case i.memory < 0:
		return nil, fmt.Errorf("--max-memory %d: it takes 0 or more", i.memory)
	case i.offline && !i.on:
		return nil, errors.New("--isolate-offline belongs to --isolate")
	case !i.on && i.memory == 0:
		return nil, nil
	}
	b := &isolate.Box{Root: root, Net: !i.offline, Memory: i.memory << 20}
	if !i.on {
		return b, nil
	}
	if root == string(filepath.Separator) {
		return nil, errors.New("--isolate needs a --root that is not the whole machine")
	}
	for _, path := range secrets {
		if path, err := filepath.Abs(path); err == nil {
			b.Hidden = append(b.Hidden, path)
		}
	}
	b.Hidden = append(append(b.Hidden, stateDir(), configFile(), local.RuntimeDir(), os.TempDir()), secretPlaces()...)
	var err error
	if b.Bwrap, err = isolate.Find(); err == nil {
		err = b.Try(ctx)
	}
	if err != nil {
		return nil, &batch.Error{Status: batch.NoKernel, Err: fmt.Errorf("--isolate: %w", err)}
	}
	return b, nil
}

// secretPlaces are where programs commonly keep keys and passwords.
func secretPlaces() (paths []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for _, name := range []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/nbterm", ".e2b",
		".local/share/keyrings", ".password-store", ".mozilla", ".config/google-chrome", ".config/chromium",
		".netrc", ".git-credentials", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".bash_history", ".zsh_history", ".python_history",
	} {
		paths = append(paths, filepath.Join(home, filepath.FromSlash(name)))
	}
	return paths
}
