package tui

import (
	"testing"

	"github.com/nbterm/nbterm/kernelclient/health"
)

// A memory that runs full is said once, and no more once there is room again.
func TestMemoryThatRunsFull(t *testing.T) {
	m := opened(t, []byte(`{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`))
	read := func(used int64) (said int) {
		m.healthRead(healthMsg{usage: health.Usage{Processes: 1, Resident: 3e9, Used: used, Limit: 16e9}})
		return len(m.messages.stack)
	}
	for _, c := range []struct {
		used int64
		said int
	}{{8e9, 0}, {14.5e9, 1}, {15e9, 1}, {8e9, 0}, {15.9e9, 1}} {
		if got := read(c.used); got != c.said {
			t.Errorf("%d of 16e9: %d messages, want %d", c.used, got, c.said)
		}
	}
	const want = "the memory is 99 % full (15.9 GB of 16.0 GB), 3.0 GB of it are the kernel's; where it runs out the system ends the kernel"
	if m.vitals.warned != want {
		t.Errorf("it says %q", m.vitals.warned)
	}
	m.healthRead(healthMsg{err: health.ErrUnsupported})
	if m.readHealth() != nil || m.healthLabel() != "" {
		t.Error("it goes on where the system does not tell")
	}
}
