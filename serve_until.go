package main

import (
	"context"
	"os"
	"syscall"

	"github.com/nbterm/nbterm/notebook/session/batch"
)

// servedUntilSignal serves until a signal asks to end; a second one leaves at once.
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
		select {
		case err = <-done:
		case ended = <-sig: // somebody will not wait for the end
		}
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
