package local

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

const (
	// beatTime is how long a kernel may take to answer its heartbeat.
	beatTime = time.Second
	// looks is how many connection files are looked at at once.
	looks = 16
)

var _ kernelclient.Joiner = (*Host)(nil)

// candidate is a connection file and what it says.
type candidate struct {
	file string
	conn jupyter.Connection
	made time.Time // its modification time
}

// Running implements kernelclient.Joiner: it asks every kernel whose connection file lies
// in Jupyter's runtime folder, where nbterm puts its own too.
func (h *Host) Running(ctx context.Context) ([]kernelclient.Running, error) {
	all := h.answering(ctx, h.candidates())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	specs := search(h.env(), h.dir(""))
	owners := ownersOf(all)
	out := make([]kernelclient.Running, len(all))
	for i, c := range all {
		out[i] = c.running(specs, owners[i])
	}
	slices.SortStableFunc(out, func(a, b kernelclient.Running) int { return b.Started.Compare(a.Started) })
	return out, nil
}

// candidates are the readable connection files, the newest first, without those of this
// host's own kernels. Of several that name the same place, as a port comes to be used
// again, only the newest counts.
func (h *Host) candidates() []candidate {
	dir := h.env().runtimeDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no kernel was ever started here
	}
	own := h.ownFiles()
	var all []candidate
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		if !isConnectionName(entry.Name()) || own[file] {
			continue
		}
		if c, err := readCandidate(file); err == nil {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.made.Compare(a.made) })
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c candidate) bool {
		place := fmt.Sprint(c.conn.Transport, c.conn.IP, c.conn.ShellPort)
		again := seen[place]
		seen[place] = true
		return again
	})
}

// isConnectionName tells the connection files of kernels from the other files of the
// folder: jupyter_client, ipykernel and nbterm all call theirs so.
func isConnectionName(name string) bool {
	return strings.HasPrefix(name, "kernel-") && strings.HasSuffix(name, connectionSuffix)
}

// ownFiles are the connection files of the kernels that this host holds.
func (h *Host) ownFiles() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := map[string]bool{}
	for k := range h.kernels {
		own[k.file] = true
	}
	return own
}

func readCandidate(file string) (candidate, error) {
	fi, err := os.Stat(file)
	if err != nil {
		return candidate{}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return candidate{}, err
	}
	c, err := jupyter.ParseConnection(data)
	return candidate{file: file, conn: c, made: fi.ModTime()}, err
}

// answering are those of all whose kernels answer, in the same order.
func (h *Host) answering(ctx context.Context, all []candidate) []candidate {
	live := make([]bool, len(all))
	slots := make(chan struct{}, looks)
	var wg sync.WaitGroup
	for i, c := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			live[i] = alive(ctx, c.conn) == nil
		})
	}
	wg.Wait()
	var out []candidate
	for i, c := range all {
		if live[i] {
			out = append(out, c)
		}
	}
	return out
}

func alive(ctx context.Context, c jupyter.Connection) error {
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	return jupyter.Alive(ctx, c)
}

// running says what is known of a kernel that answers.
func (c candidate) running(specs []spec, owner owner) kernelclient.Running {
	r := kernelclient.Running{
		File: c.file, Path: owner.session, PID: owner.pid, Started: owner.started,
		Kernel: kernelclient.Kernel{Name: c.conn.KernelName},
	}
	if r.Started.IsZero() {
		r.Started = c.made
	}
	for _, s := range specs {
		if s.name != "" && strings.EqualFold(s.name, c.conn.KernelName) && s.broken == "" {
			r.Kernel = s.kernel()
			break
		}
	}
	r.Kernel.DisplayName = cmp.Or(r.Kernel.DisplayName, r.Kernel.Name, filepath.Base(c.file))
	r.Kernel.Found, r.Kernel.Broken = "running: "+c.file, ""
	return r
}

// owner is the process of a kernel as the system knows it; zero where it cannot tell.
type owner struct {
	pid     int
	started time.Time
	session string // JPY_SESSION_NAME
}
