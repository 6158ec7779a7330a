//go:build !linux

package bridge

import (
	"cmp"
	"os"
)

// machineTraits tell this machine from others.
func machineTraits() []string {
	name, _ := os.Hostname()
	return []string{cmp.Or(name, "localhost")}
}
