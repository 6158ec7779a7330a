package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Box says in what surroundings programs run. A nil one changes nothing. It is not
// changed once it is used, and used from any goroutine.
type Box struct {
	// Bwrap is bubblewrap's program, an absolute path. "" leaves out all of the box but Memory.
	Bwrap string
	// Root is the folder that can be written to, absolute. Nothing else on the disk can.
	Root string
	// Hidden are files and folders whose content is not to be seen, absolute. What is not
	// there is left out.
	Hidden []string
	// Net leaves the network to the programs. Else they have a loopback of their own and
	// nothing more; unix sockets that Start is told of go on to work.
	Net bool
	// Memory is how many bytes each process may have for its data (RLIMIT_DATA: what it
	// allocates, not what it merely reserves or maps from files); 0 = no limit.
	Memory int64
}

// ErrUnavailable is why there can be no box: what it wraps says it in plain words.
var ErrUnavailable = errors.New("kernels cannot be isolated here")

// Find returns bubblewrap's program, or ErrUnavailable.
func Find() (string, error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("%w: bubblewrap is there on Linux only", ErrUnavailable)
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return "", fmt.Errorf("%w: bubblewrap (bwrap) is not installed; the package is called bubblewrap", ErrUnavailable)
	}
	return filepath.Abs(path)
}

// Try runs a program that does nothing in the box. Its error wraps ErrUnavailable and says
// what bubblewrap said: many containers and some systems allow no namespaces.
func (b *Box) Try(ctx context.Context) error {
	if b == nil || b.Bwrap == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, b.Bwrap, append(b.args(nil, nil), "--", "/bin/true")...)
	cmd.Dir = "/"
	said, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	why := strings.TrimSpace(string(said))
	if why == "" {
		why = err.Error()
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, why)
}

// On tells whether programs are put behind bubblewrap, and so get no signal but through the
// process that Start names.
func (b *Box) On() bool { return b != nil && b.Bwrap != "" }

// Netless tells whether programs reach no port of this machine.
func (b *Box) Netless() bool { return b.On() && !b.Net }

// In is the box with another root, for "" the same one.
func (b *Box) In(root string) *Box {
	if b == nil || root == "" {
		return b
	}
	other := *b
	other.Root = root
	return &other
}

// Start starts cmd in the box. leader is the process to signal: it leads the program's
// process group, and with it all that the program starts ends. cmd.Wait still waits for the
// end. needs are files and folders, absolute, that the program has to reach and may write.
//
// Behind bubblewrap leader is a first process of the box, which no signal but KILL ends, and
// cmd's own process one that only waits: a signal to that one would end all. The program's
// end by signal n then shows as status 128+n.
func (b *Box) Start(cmd *exec.Cmd, needs ...string) (leader int, err error) {
	if b == nil {
		return started(cmd)
	}
	seen := b.programs(cmd)
	b.limit(cmd)
	if b.Bwrap == "" {
		return started(cmd)
	}
	tells, told, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer tells.Close()
	argv := append([]string{b.Bwrap}, b.args(seen, needs)...)
	env, loader := withoutLoader(cmd.Environ())
	cmd.Env, argv = env, append(argv, loader...)
	argv = append(argv, "--info-fd", strconv.Itoa(3+len(cmd.ExtraFiles)), "--", cmd.Path)
	cmd.ExtraFiles = append(slices.Clone(cmd.ExtraFiles), told)
	cmd.Path, cmd.Args = b.Bwrap, append(argv, cmd.Args[1:]...)
	err = cmd.Start()
	_ = told.Close() // it is the program's
	if err != nil {
		return 0, err
	}
	var info struct {
		Child int `json:"child-pid"`
	}
	if err := json.NewDecoder(tells).Decode(&info); err != nil || info.Child == 0 {
		_ = cmd.Process.Kill() // it is about to end
		return 0, fmt.Errorf("%w: bubblewrap did not start the program (%w)", ErrUnavailable, errors.Join(err, cmd.Wait()))
	}
	return info.Child, nil
}

func started(cmd *exec.Cmd) (int, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil
}

// limit has a shell set the limit of memory: it is inherited, and a parent cannot set it
// before the program begins otherwise.
func (b *Box) limit(cmd *exec.Cmd) {
	if b.Memory <= 0 {
		return
	}
	const set = `ulimit -d "$1" && shift && exec "$@"`
	cmd.Args = append([]string{"sh", "-c", set, "sh", strconv.FormatInt(b.Memory>>10, 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}
