package local

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// ticks is the unit of times in /proc, the same on every Linux since 2.6 (USER_HZ).
const ticks = 100

// processStart is when a process began, in ticks since the machine's start. Together with
// its number it names a process for good. ok is false where there is none.
func processStart(pid int) (start int64, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // a name may have anything in it
	const starttime = 19                                           // the 22nd of all, "state" being the third
	if len(f) <= starttime || f[0] == "Z" {
		return 0, false
	}
	start, err = strconv.ParseInt(f[starttime], 10, 64)
	return start, err == nil
}
