//go:build !unix

package main

import "errors"

// noEcho is not there on this system, so a password is refused rather than shown.
func noEcho(uintptr) error { return errors.New("a password cannot be read here without showing it") }
