package bridge

import (
	"cmp"
	"os"
)

// machineTraits tell this machine, and this container, from others: it is another one after
// a restart, but so is every process.
func machineTraits() []string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without /proc the name has to do
	files, _ := os.Readlink("/proc/self/ns/mnt")
	name, _ := os.Hostname()
	return []string{string(boot), files, cmp.Or(name, "localhost")}
}
