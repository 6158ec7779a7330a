//go:build unix

package envd

import (
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, name string) {
	t.Helper()
	must(t, syscall.Mkfifo(name, 0o600))
}
