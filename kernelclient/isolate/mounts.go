package isolate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// args are bubblewrap's: what can be seen, and what is shared with the machine. Later ones
// lie over earlier ones. seen are files and folders to show where others are not, needs
// those that may be written to as well.
func (b *Box) args(seen, needs []string) []string {
	argv := []string{
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
		"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session", "--die-with-parent", "--cap-drop", "ALL",
		"--unsetenv", "JPY_PARENT_PID", // the parent has another number there, and takes its child along anyway
		"--unsetenv", "XDG_RUNTIME_DIR", "--setenv", "TMPDIR", "/tmp",
	}
	if !b.Net {
		argv = append(argv, "--unshare-net")
	}
	for _, path := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"} {
		argv = append(argv, "--ro-bind-try", path, path) // root could change the machine by them
	}
	for _, dir := range scratch() {
		argv = append(argv, "--tmpfs", dir)
	}
	argv = append(argv, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve") // where names are looked up
	argv = append(argv, b.hide(false)...)
	if b.Root != "" {
		argv = append(argv, "--bind", b.Root, b.Root)
	}
	argv = append(argv, b.hide(true)...)
	for _, path := range seen {
		argv = append(argv, "--ro-bind-try", path, path)
	}
	for _, path := range needs {
		argv = append(argv, "--bind", path, path)
	}
	return argv
}

// scratch are the folders that a box has of its own, empty.
func scratch() (dirs []string) {
	for _, dir := range []string{"/tmp", "/var/tmp", "/run"} {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// hide covers what is not to be seen, inside of the root or elsewhere.
func (b *Box) hide(inRoot bool) (argv []string) {
	for _, path := range b.Hidden {
		path, err := filepath.EvalSymlinks(path)
		if err != nil || inside(path, b.Root) != inRoot {
			continue // mostly it is not there
		}
		fi, err := os.Stat(path)
		switch {
		case err != nil:
		case fi.IsDir():
			argv = append(argv, "--tmpfs", path)
		default:
			argv = append(argv, "--ro-bind", os.DevNull, path)
		}
	}
	return argv
}

// programs are what a command needs to see of what is covered: its program with the
// installation around it, and the files that its arguments name.
func (b *Box) programs(cmd *exec.Cmd) (paths []string) {
	add := func(path string) {
		for _, dir := range append(scratch(), b.Hidden...) {
			if inside(path, dir) && path != dir {
				paths = append(paths, path)
				return
			}
		}
	}
	real, err := filepath.EvalSymlinks(cmd.Path)
	if err != nil {
		real = cmd.Path
	}
	for _, program := range []string{cmd.Path, real} {
		if bin := filepath.Dir(program); filepath.Base(bin) == "bin" {
			add(filepath.Dir(bin))
		} else {
			add(program)
		}
	}
	for _, arg := range cmd.Args[1:] {
		if filepath.IsAbs(arg) {
			add(arg)
		}
	}
	return paths
}

// inside tells whether a path is a folder or lies in it.
func inside(path, dir string) bool {
	if dir == "" {
		return false
	}
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}
