//go:build unix && !linux

package builtin

import (
	"os/exec"
	"strconv"
	"strings"
)

// group lists the processes of a process group with their command lines.
func group(pgid int) map[int]string {
	found := map[int]string{}
	out, err := exec.Command("ps", "-A", "-o", "pid=,pgid=,args=").Output()
	if err != nil {
		return found
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[1] == strconv.Itoa(pgid) {
			if pid, err := strconv.Atoi(fields[0]); err == nil {
				found[pid] = strings.Join(fields[2:], " ")
			}
		}
	}
	return found
}

// firstChild is for boxes, which only Linux has.
func firstChild(int) int { return 0 }
