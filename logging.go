package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/debuglog"
)

// logged wraps h for --log. The returned func closes both, after its contexts were stopped.
func (c *common) logged(h kernelclient.Host) (kernelclient.Host, func(), error) {
	if c.logFile == "" {
		return h, func() { _ = h.Close() }, nil // in this process there is nothing it could fail at
	}
	f, err := os.OpenFile(c.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--log: %w", err)
	}
	log := slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})).With("pid", os.Getpid())
	wrapped := debuglog.Wrap(h, log)
	return wrapped, func() {
		_ = wrapped.Close()
		_ = f.Close() // a lost line of the debug log is not worth a failure
	}, nil
}
