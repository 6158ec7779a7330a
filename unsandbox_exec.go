package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nbterm/nbterm/kernelclient/hosts"
	"github.com/nbterm/nbterm/kernelclient/unsandbox"
	"github.com/nbterm/nbterm/notebook/session/batch"
)

// languageOn is the language that a file of code speaks for on the host: Unsandbox runs more
// than notebooks have kernels for.
func (c *common) languageOn(args []string, code, language string) string {
	t, err := c.hosted.resolve()
	if err != nil || t.Kind != hosts.Unsandbox || len(args) == 0 { // an error is said when the host is opened
		return language
	}
	return cmp.Or(unsandbox.LanguageOf(args[0], []byte(code)), language)
}

// handOver submits code as a job of Unsandbox and prints its id.
func (c *common) handOver(ctx context.Context, code, language string, limit time.Duration) error {
	t, err := c.hosted.resolve()
	if err != nil {
		return err
	}
	if t.Kind != hosts.Unsandbox {
		return errors.New("--no-wait leaves a job to Unsandbox: it needs --host unsandbox: and no other")
	}
	host, err := c.direct(t, ".")
	if err != nil {
		return err
	}
	defer host.Close()
	h, ok := host.(*unsandbox.Host)
	if !ok {
		return errors.New("--no-wait needs a host that has jobs")
	}
	j, err := h.HandOver(ctx, cmp.Or(c.kernel, language, "python"), code, c.env, limit)
	switch {
	case err != nil:
		return refused(err)
	case j.ID != "":
		_, err = fmt.Fprintln(os.Stdout, j.ID)
	default:
		return &batch.Error{Status: batch.NoKernel, Err: unsandbox.ErrNoID}
	}
	if err != nil {
		return batch.WriteError(err)
	}
	return nil
}

// confirmed asks for the keys of the current folder here, where a terminal may be, and not in
// the host process. Other keys are looked for when they are needed.
func confirmed(t hosts.Target) (hosts.Target, error) {
	if t.Kind != hosts.Unsandbox || t.PublicKey != "" && t.Token != "" {
		return t, nil
	}
	asked := false
	l := unsandboxLookup(t)
	l.Warn = nil // it is said when they are used
	l.Confirm = func(file string) (bool, error) {
		asked = true
		return confirmKeys(file)
	}
	found, err := l.Find()
	if !asked {
		return t, nil
	}
	if err != nil {
		return t, refused(err)
	}
	t.PublicKey, t.Token, t.KeySource = found.Public, hosts.Secret(found.Secret), found.Source
	return t, nil
}
