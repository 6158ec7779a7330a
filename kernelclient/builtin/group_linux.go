package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// group lists the processes of a process group with their command lines.
func group(pgid int) map[int]string {
	found := map[int]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return found
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		// pid (name) state ppid pgrp: the name may hold anything.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 2 && string(fields[2]) == strconv.Itoa(pgid) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // "" once it is gone
			found[pid] = string(command)
		}
	}
	return found
}

// firstChild is a process's oldest child, 0 if it has none.
func firstChild(pid int) int {
	p := strconv.Itoa(pid)
	children, err := os.ReadFile("/proc/" + p + "/task/" + p + "/children")
	if fields := bytes.Fields(children); err == nil && len(fields) > 0 {
		child, _ := strconv.Atoi(string(fields[0])) // the system writes numbers
		return child
	}
	return 0
}
