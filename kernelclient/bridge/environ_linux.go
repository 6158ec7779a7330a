package bridge

import (
	"os"
	"strconv"
	"strings"
)

// environOf is the environment that a kernel was started in: a restart is to have it again,
// and no file may hold its secrets. Where it cannot be read it is this process's own.
func environOf(pid int) []string {
	if pid > 0 {
		if data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ"); err == nil && len(data) > 0 {
			return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
		}
	}
	return os.Environ()
}
