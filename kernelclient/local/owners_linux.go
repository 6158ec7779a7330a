package local

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownersOf finds the processes that listen where the connection files say: who else has a
// file's name on its command line may be a client. Processes of other users stay unknown.
func ownersOf(all []candidate) []owner {
	owners := make([]owner, len(all))
	inodes := listening(all)
	if len(inodes) == 0 {
		return owners
	}
	first := make([]int64, len(all)) // start of the process in owners
	for _, pid := range ownProcesses() {
		for _, i := range holds(pid, inodes) {
			started, ok := processStart(pid)
			if !ok || owners[i].pid != 0 && first[i] <= started {
				continue // a child that inherited the socket
			}
			first[i], owners[i] = started, owner{pid: pid}
		}
	}
	for i := range owners {
		if pid := owners[i].pid; pid != 0 {
			owners[i].started = sinceBoot(first[i])
			owners[i].session = sessionName(pid)
		}
	}
	return owners
}

// listening maps the inodes of the kernels' shell sockets to their places in all.
func listening(all []candidate) map[string]int {
	ports, paths := map[int]int{}, map[string]int{}
	for i, c := range all {
		if c.conn.Transport == "ipc" {
			paths[c.conn.IP+"-"+strconv.Itoa(c.conn.ShellPort)] = i
		} else {
			ports[c.conn.ShellPort] = i
		}
	}
	inodes := map[string]int{}
	table("/proc/net/tcp", func(f []string) { // sl local_address rem_address st … inode is the tenth
		const listen = "0A"
		if len(f) < 10 || f[3] != listen {
			return
		}
		_, port, _ := strings.Cut(f[1], ":")
		n, err := strconv.ParseUint(port, 16, 16)
		if i, ok := ports[int(n)]; ok && err == nil {
			inodes[f[9]] = i
		}
	})
	table("/proc/net/unix", func(f []string) { // Num RefCount Protocol Flags Type St Inode Path
		const accepts = "00010000"
		if len(f) < 8 || f[3] != accepts {
			return
		}
		if i, ok := paths[f[7]]; ok {
			inodes[f[6]] = i
		}
	})
	return inodes
}

// table calls row with the fields of each line.
func table(path string, row func(fields []string)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		row(strings.Fields(lines.Text()))
	}
}

// ownProcesses are the processes of this user.
func ownProcesses() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		fi, err := entry.Info()
		if err != nil {
			continue // it has ended
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Uid == uint32(os.Geteuid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// holds are the values of those inodes that the process has open.
func holds(pid int, inodes map[string]int) (found []int) {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		to, err := os.Readlink(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		inode, ok := strings.CutPrefix(to, "socket:[")
		if i, known := inodes[strings.TrimSuffix(inode, "]")]; ok && known {
			found = append(found, i)
		}
	}
	return found
}

// sinceBoot is the time of a processStart, zero where the machine's start is unknown.
func sinceBoot(start int64) (at time.Time) {
	table("/proc/stat", func(f []string) {
		if len(f) == 2 && f[0] == "btime" {
			if boot, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				at = time.Unix(boot, 0).Add(time.Duration(start) * time.Second / ticks)
			}
		}
	})
	return at
}

// sessionName is the JPY_SESSION_NAME that a process was started with.
func sessionName(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	return environ(strings.Split(string(b), "\x00")).get("JPY_SESSION_NAME")
}
