//go:build !linux

package local

import "errors"

// writes is for Linux only; elsewhere the log is looked at from time to time.
type writes struct{}

func watchWrites(string) (*writes, error) { return nil, errors.ErrUnsupported }

func (*writes) next() error { return errors.ErrUnsupported }

func (*writes) close() {}
