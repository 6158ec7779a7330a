package health

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	gpuEvery = 10 * time.Second // asking takes up to a second
	gpuLimit = 5 * time.Second
)

// gpu asks nvidia-smi now and then.
type gpu struct {
	asked time.Time
	none  bool // there is no nvidia-smi, or it does not work
	bytes int64
}

// read is the memory of the graphics cards that the processes use, as last heard.
func (g *gpu) read(ctx context.Context, pids map[int]bool) int64 {
	if g.none || !g.asked.IsZero() && time.Since(g.asked) < gpuEvery {
		return g.bytes
	}
	g.asked = time.Now()
	ctx, cancel := context.WithTimeout(ctx, gpuLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits").Output()
	g.none, g.bytes = err != nil && ctx.Err() == nil, parseApps(string(out), pids)
	return g.bytes
}

// parseApps sums up nvidia-smi's list: a line "PID, MiB" for each process and card.
func parseApps(list string, pids map[int]bool) (bytes int64) {
	for line := range strings.Lines(list) {
		pid, memory, _ := strings.Cut(line, ",")
		n, err := strconv.Atoi(strings.TrimSpace(pid))
		mib, err2 := strconv.ParseInt(strings.TrimSpace(memory), 10, 64)
		if err == nil && err2 == nil && pids[n] && mib > 0 {
			bytes += mib << 20
		}
	}
	return bytes
}
