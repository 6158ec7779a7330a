package bridge

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// groupMemory is how many bytes of each process group, a kernel and what its code started,
// are resident. Memory that several share counts for each.
func groupMemory() map[int]int64 {
	groups := map[int]int64{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, path := range stats {
		if data, err := os.ReadFile(path); err == nil {
			group, size := resident(data)
			groups[group] += size
		}
	}
	return groups
}

// resident reads a line of /proc/PID/stat (proc(5)): the group of a process and its bytes in memory.
func resident(stat []byte) (group int, size int64) {
	// The name before may hold anything, a closing bracket too.
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const pgrp, rss = 2, 21
	if len(f) <= rss {
		return 0, 0
	}
	group, _ = strconv.Atoi(string(f[pgrp])) // proc(5) has numbers there
	pages, _ := strconv.ParseInt(string(f[rss]), 10, 64)
	return group, pages * int64(os.Getpagesize())
}
