package builtin

import (
	"bytes"
	"os"
	"strconv"
)

// isStopped tells whether a process was stopped by a signal or a debugger.
func isStopped(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	at := bytes.LastIndexByte(b, ')') // a name may have anything in it
	if err != nil || at < 0 || len(b) < at+3 {
		return false
	}
	state := b[at+2]
	return state == 'T' || state == 't'
}
