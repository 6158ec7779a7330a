package envd

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// measure fills in what the system says of memory and of the disk that dir is on.
func (u *usage) measure(dir string) {
	mem := meminfo()
	u.MemTotal = mem["MemTotal"]
	u.MemUsed = u.MemTotal - min(mem["MemAvailable"], u.MemTotal)
	u.MemCache = mem["Cached"] + mem["Buffers"]
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) == nil {
		block := uint64(max(st.Bsize, 0))
		u.DiskTotal, u.DiskUsed = st.Blocks*block, (st.Blocks-st.Bfree)*block
	}
}

// meminfo is the kernel's table of memory, in bytes.
func meminfo() map[string]uint64 {
	table := map[string]uint64{}
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return table
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		kb, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.ParseUint(kb, 10, 64); err == nil {
			table[name] = n << 10
		}
	}
	return table
}

// cpuClock measures between two questions.
type cpuClock struct {
	mu         sync.Mutex // guards both
	busy, idle uint64     // jiffies at the last question
}

// percent is how busy all processors together were since the last question, or since the
// start of the machine at the first.
func (c *cpuClock) percent() float64 {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	var busy, idle uint64
	for i, field := range strings.Fields(line) {
		n, _ := strconv.ParseUint(field, 10, 64) // the first is a word
		switch i {
		case 0, 9, 10: // guests count as user time already
		case 4, 5:
			idle += n
		default:
			busy += n
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b, i := float64(busy-c.busy), float64(idle-c.idle)
	c.busy, c.idle = busy, idle
	if b+i <= 0 {
		return 0
	}
	return math.Round(1000*b/(b+i)) / 10
}
