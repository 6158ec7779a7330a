package health

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the times in /proc: USER_HZ is 100 on every architecture of Go's.
const tick = time.Second / 100

// usage sums up the processes of pid's group and session, and names them.
func usage(pid int) (Usage, map[int]bool, error) {
	u := Usage{At: time.Now()}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return u, nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	pids := map[int]bool{}
	for _, e := range all {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has just ended
		}
		p, ok := parseStat(data)
		if !ok || p.group != pid && p.session != pid || p.state == 'Z' {
			continue
		}
		pids[n] = true
		u.Processes++
		u.Resident += p.pages * int64(os.Getpagesize())
		u.CPU += time.Duration(p.ticks) * tick
	}
	u.Used, u.Limit = room(pid)
	return u, pids, nil
}

type process struct {
	state          byte
	group, session int
	ticks, pages   int64
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The name in parentheses may hold
// anything, so fields are counted from its end.
func parseStat(data []byte) (p process, ok bool) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return p, false
	}
	f := strings.Fields(string(data[end+1:])) // f[0] is field 3
	if len(f) < 22 || len(f[0]) != 1 {
		return p, false
	}
	num := func(field int) int64 {
		n, err := strconv.ParseInt(f[field-3], 10, 64)
		ok = ok && err == nil
		return n
	}
	ok = true
	p = process{state: f[0][0], group: int(num(5)), session: int(num(6)), ticks: num(14) + num(15), pages: num(24)}
	return p, ok
}

// room is the memory that is taken and that there is: of the tightest control group above
// the process, else of the machine.
func room(pid int) (used, limit int64) {
	used, limit = machine(readFile("/proc/meminfo"))
	group := readFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	for line := range strings.Lines(group) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::") // version 2 (cgroups(7))
		if !ok {
			continue
		}
		for dir := filepath.Join("/sys/fs/cgroup", path); strings.HasPrefix(dir, "/sys/fs/cgroup"); dir = filepath.Dir(dir) {
			top := number(readFile(dir + "/memory.max")) // "max" is no number: no limit here
			now := number(readFile(dir + "/memory.current"))
			if top > 0 && now > 0 && (limit == 0 || top < limit) {
				used, limit = now-field(readFile(dir+"/memory.stat"), "inactive_file"), top
			}
		}
	}
	return used, limit
}

// machine reads /proc/meminfo (proc_meminfo(5)), whose unit is KiB.
func machine(meminfo string) (used, limit int64) {
	total, free := field(meminfo, "MemTotal:"), field(meminfo, "MemAvailable:")
	return (total - free) << 10, total << 10
}

// Shortages is how many processes the system has killed so far for lack of memory, on the
// whole machine or in a control group; 0 where it does not tell.
func Shortages() int64 { return field(readFile("/proc/vmstat"), "oom_kill") }

// field is the number behind a name that begins a line, 0 if there is none.
func field(text, name string) int64 {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return number(f[1])
		}
	}
	return 0
}

func number(text string) int64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0
	}
	return int64(n)
}

// readFile is "" for what cannot be read: then there is no such limit.
func readFile(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
