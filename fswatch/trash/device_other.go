//go:build !unix

package trash

import "errors"

func sameDevice(string, string) bool { return false }

func topOf(string) (string, error) { return "", errors.ErrUnsupported }
