package localfs

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
)

// inChild runs the test that calls it once more in a child process with other rights, which
// it returns true in. dir is a folder that the child may use.
func inChild(t *testing.T, attr *syscall.SysProcAttr) (child bool, dir string) {
	t.Helper()
	if dir = os.Getenv("NBTERM_TEST_CHILD"); dir != "" {
		return true, dir
	}
	base := t.TempDir() // the folders above it are open to all
	must(t, os.Chmod(filepath.Dir(base), 0o755))
	must(t, os.Chmod(base, 0o755))
	dir = base + "/dir"
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.Chmod(dir, 0o777))
	// The test's own binary lies where only its owner may go.
	exe, err := os.Open("/proc/self/exe")
	must(t, err)
	defer exe.Close()
	to, err := os.OpenFile(base+"/child", os.O_WRONLY|os.O_CREATE, 0o755)
	must(t, err)
	_, err = io.Copy(to, exe)
	must(t, err)
	must(t, to.Close())
	cmd := exec.Command(base+"/child", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "NBTERM_TEST_CHILD="+dir)
	cmd.Dir, cmd.SysProcAttr = dir, attr
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) || err == nil && !strings.Contains(string(out), "--- PASS"):
		t.Errorf("%v\n%s", err, out)
	case err != nil:
		t.Skip("no such child can be had here:", err)
	}
	return false, dir
}

func ordinaryUser() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// Folders and links that may not be read are listed with a mark, and nothing else fails.
func TestWithoutRights(t *testing.T) {
	child, dir := inChild(t, ordinaryUser())
	if !child {
		return
	}
	makeFile(t, dir+"/noexec/f.ipynb", "x")
	makeFile(t, dir+"/fine/g.ipynb", "x")
	makeFile(t, dir+"/secret", "x")
	must(t, os.Mkdir(dir+"/noread", 0o755))
	must(t, os.Mkdir(dir+"/sealed", 0o755))
	makeFile(t, dir+"/sealed/in.ipynb", "x")
	must(t, os.Symlink("sealed/in.ipynb", dir+"/to-sealed.ipynb"))
	for name, mode := range map[string]os.FileMode{"noread": 0o300, "noexec": 0o600, "sealed": 0, "secret": 0} {
		must(t, os.Chmod(filepath.Join(dir, name), mode))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	f := open(t, Options{Root: dir})
	all := list(t, f, dir, fswatch.ListOptions{Depth: 9})
	want := map[string]fswatch.Kind{
		"noread": fswatch.Permission, "noexec": fswatch.Permission, "noexec/f.ipynb": fswatch.Permission, "sealed": fswatch.Permission,
		"to-sealed.ipynb": fswatch.Permission, "secret": fswatch.Permission, "fine": "", "fine/g.ipynb": "",
	}
	if len(all) != len(want) {
		t.Errorf("%d entries: %v", len(all), all)
	}
	for name, problem := range want {
		if all[name].Problem != problem {
			t.Errorf("%s: problem %q, want %q", name, all[name].Problem, problem)
		}
	}
	for what, err := range map[string]error{
		"list":  second(f.List(t.Context(), "noread", fswatch.ListOptions{})),
		"write": second(f.Write(t.Context(), []fswatch.File{{Path: "sealed/x", Body: strings.NewReader("x"), Size: 1}}, fswatch.WriteOptions{})),
		"watch": second(f.Watch(t.Context(), "noread", fswatch.WatchOptions{})),
		"mkdir": second(f.Mkdir(t.Context(), "sealed/d")),
	} {
		if !errors.Is(err, fswatch.Permission) {
			t.Errorf("%s: %v", what, err)
		}
	}
	watchWithoutRights(t, f, dir)
	writeWithoutRights(t, f, dir)
}

func second[T any](_ T, err error) error { return err }

// What cannot be read is left out of a recursive watch, and a Watcher has it once it can be.
func watchWithoutRights(t *testing.T, f *FS, dir string) {
	s := follow(t, f, dir, fswatch.WatchOptions{Recursive: true})
	w := fswatch.NewWatcher(f)
	defer w.Close()
	w.Want([]fswatch.Path{dir + "/noread"})
	untilDirty(t, w, dir+"/noread")
	if mode, why := w.Mode(); mode != fswatch.ModePush || why != nil {
		t.Errorf("%v, %v", mode, why)
	}
	makeFile(t, dir+"/fine/new", "x")
	s.until("create fine/new")
	must(t, os.Chmod(dir+"/noread", 0o755))
	untilDirty(t, w, dir+"/noread")
	makeFile(t, dir+"/noread/x", "x")
	untilDirty(t, w, dir+"/noread")
}

// A file that may be written is, also where its folder takes no new ones.
func writeWithoutRights(t *testing.T, f *FS, dir string) {
	must(t, os.Chmod(dir+"/fine", 0o555))
	defer func() { _ = os.Chmod(dir+"/fine", 0o755) }()
	_, err := f.Write(t.Context(), []fswatch.File{{Path: "fine/g.ipynb", Body: strings.NewReader("new"), Size: 3}}, fswatch.WriteOptions{})
	must(t, err)
	if data, err := os.ReadFile(dir + "/fine/g.ipynb"); string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}

// Where the system gives no more watches, the folders are looked at, and why is told.
func TestNoMoreWatches(t *testing.T) {
	child, dir := inChild(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	})
	if !child {
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("3"), 0o644); err != nil {
		t.Skip("the limit cannot be set here:", err)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		makeFile(t, dir+"/"+name+"/x", "x")
	}
	f := open(t, Options{Root: dir})
	s, err := f.Watch(t.Context(), dir, fswatch.WatchOptions{Recursive: true})
	must(t, err)
	if mode, why := s.Mode(); mode != fswatch.ModePoll || !errors.Is(why, errLimit) || !strings.Contains(why.Error(), "max_user_watches") {
		t.Errorf("%v, %v", mode, why)
	}
	makeFile(t, dir+"/d/new", "x")
	(&follower{Stream: s, t: t}).until("create d/new")
	must(t, s.Close())

	limitWhileItRuns(t, f, dir)

	w := fswatch.NewWatcher(f)
	defer w.Close()
	dirs := []fswatch.Path{dir + "/a", dir + "/b", dir + "/c", dir + "/d"}
	w.Want(dirs)
	untilDirty(t, w, dirs...)
	if mode, why := w.Mode(); mode != fswatch.ModePoll || !errors.Is(why, errLimit) {
		t.Errorf("%v, %v", mode, why)
	}
	for _, d := range dirs {
		makeFile(t, d+"/newer", "x")
		untilDirty(t, w, d)
	}
}

// A watch that hits the limit later goes on by looking.
func limitWhileItRuns(t *testing.T, f *FS, dir string) {
	s := follow(t, f, dir+"/a", fswatch.WatchOptions{Recursive: true})
	for _, name := range []string{"1", "2", "3", "4"} {
		must(t, os.Mkdir(dir+"/a/"+name, 0o755))
	}
	s.until("resync .")
	if mode, why := s.Mode(); mode != fswatch.ModePoll || !errors.Is(why, errLimit) {
		t.Errorf("%v, %v", mode, why)
	}
	makeFile(t, dir+"/a/4/new", "x")
	s.until("create 4/new")
	must(t, s.Close())
}
