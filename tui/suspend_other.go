//go:build !unix

package tui

import "os"

func watchStop(chan<- os.Signal) {}

func isStop(os.Signal) bool { return false }

func stopGroup() error { return nil }

func hasShell() bool { return false }
