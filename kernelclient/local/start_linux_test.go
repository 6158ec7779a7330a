package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func broken(t *testing.T, w *world) {
	t.Helper()
	kernels := filepath.Join(w.dir, "home/.local/share/jupyter/kernels")
	if err := os.CopyFS(kernels, os.DirFS("../../testdata/kernels/broken")); err != nil {
		t.Fatal(err)
	}
}

func TestStartsNothingBroken(t *testing.T) {
	w := newWorld(t)
	broken(t, w)
	h := w.host(t)
	for name, want := range map[string]string{
		"missing-binary": "no-such-binary-xyz", "bad-json": "not valid", "no-argv": "no argv", "nothing": "not installed",
	} {
		began := time.Now()
		_, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: name, Dir: w.dir})
		if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nbterm kernels") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
	if _, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "dies-at-start", Dir: w.dir + "/nowhere"}); !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("missing folder: %v", err)
	}
}

func TestDiesAtStart(t *testing.T) {
	w := newWorld(t)
	broken(t, w)
	k, err := w.host(t).Start(t.Context(), kernelclient.StartSpec{Kernel: "dies-at-start", Dir: w.dir, StartupTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	detail := dead(t, k)
	if !strings.Contains(detail, "boom: module frobnicate not found") || !strings.Contains(detail, "exit code 1") {
		t.Errorf("detail %q", detail)
	}
	stop(t, k, false)
}

// A kernel that dies is started over once, with tcp; one whose ports were taken three times.
func TestTriesAreCounted(t *testing.T) {
	for words, want := range map[string]string{
		"nothing to do with sockets": "ipc tcp", "Address already in use": "ipc tcp tcp tcp",
	} {
		w := newWorld(t)
		w.install(t, "dies", `grep -o -E '"(ipc|tcp)"' "$1" | tr -d '"' >> "`+w.dir+`/tries"
echo "`+words+`" >&2; exit 4`)
		k, err := w.host(t).Start(t.Context(), kernelclient.StartSpec{Kernel: "dies", Dir: w.dir, StartupTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if detail := dead(t, k); !strings.Contains(detail, words) || !strings.Contains(detail, "exit code 4") {
			t.Errorf("detail %q", detail)
		}
		if got := strings.Join(strings.Fields(w.read(t, "tries")), " "); got != want {
			t.Errorf("%s: tries %s", words, got)
		}
		stop(t, k, false)
	}
}

func TestNeverReady(t *testing.T) {
	w := newWorld(t)
	w.install(t, "silent", "trap '' TERM; sleep 1000 & sleep 1000")
	k, err := w.host(t).Start(t.Context(), kernelclient.StartSpec{Kernel: "silent", Dir: w.dir, StartupTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if detail := dead(t, k); !strings.Contains(detail, "--startup-timeout") {
		t.Errorf("detail %q", detail)
	}
	stop(t, k, false)
}

// A kernel that makes no socket within its time is ended, for the driver to start it with tcp.
func TestUnboundIsKilled(t *testing.T) {
	w := newWorld(t)
	w.install(t, "silent", "sleep 1000 & sleep 1000")
	s, err := pick(search(w.env, w.dir), "silent")
	if err != nil {
		t.Fatal(err)
	}
	l := &launcher{spec: s, start: kernelclient.StartSpec{Dir: w.dir}, env: w.env, logs: w.dir + "/log", own: func(*kernel) {}}
	k, err := l.launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.killUnbound()
	if d := k.Death(); d.Signal != "SIGKILL" {
		t.Errorf("death %+v", d)
	}
	if err := k.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// TERM comes after half of the time, KILL at its end; the whole group goes.
func TestStopEscalates(t *testing.T) {
	for _, c := range []struct {
		script string
		limit  time.Duration
		signal string
		code   int
	}{
		{"trap 'exit 7' TERM; sleep 1000 & echo up; wait", 2 * time.Second, "", 7},
		{"trap '' TERM; sleep 1000 & echo up; wait", 400 * time.Millisecond, "SIGKILL", 0},
		{"sleep 1000 & echo up; exit 5", time.Second, "", 5},
		{"sleep 1000 & echo up; kill -STOP $$", time.Second, "SIGTERM", 0},
	} {
		w := newWorld(t)
		log, err := openLog(w.dir+"/log", "x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := startProcess("/bin/sh", []string{"sh", "-c", c.script}, w.env, w.dir, log, starting{})
		if err != nil {
			t.Fatal(err)
		}
		hosttest.Eventually(t, "its first words", func() bool { return string(log.tail()) == "up\n" })
		ctx, cancel := context.WithTimeout(t.Context(), c.limit)
		if err := p.stop(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if p.death.Signal != c.signal || p.death.Code != c.code || p.death.Last != "up" {
			t.Errorf("%s: %+v", c.script, p.death)
		}
		w.gone(t)
		if sent, err := p.signal(interruptGroup); sent || err != nil {
			t.Errorf("a signal after the end: %v, %v", sent, err)
		}
		log.close(true)
	}
}

// When this process is killed, a kernel that does not look after its parent ends as well,
// and the next start of a kernel removes what is left of it.
func TestParentDeath(t *testing.T) {
	if dir := os.Getenv("NBTERM_TEST_PARENT"); dir != "" {
		parent(t, dir)
		return
	}
	w := newWorld(t)
	w.install(t, "silent", `: > "$(sed -n 's/.*"ip": "\(.*\)".*/\1/p' "$1")-1"
echo up >> "`+w.dir+`/up"
exec sleep 1000`)
	cmd := exec.Command(os.Args[0], "-test.run=^TestParentDeath$")
	cmd.Env = w.env.with("NBTERM_TEST_PARENT=" + w.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	if _, err := out.Read(b[:]); err != nil || b[0] != 'x' {
		t.Errorf("it said %q, %v", b, err)
	}
	if len(w.processes(t)) != 2 {
		t.Errorf("processes %v", w.processes(t))
	}
	kill9(t, cmd.Process.Pid)
	_ = cmd.Wait()
	w.gone(t)
	w.files(t, 1)
	write(t, w.dir+"/log/nbterm-python-1.log", "of a built-in kernel", 0o600)
	k, err := w.host(t).Start(t.Context(), kernelclient.StartSpec{Kernel: "silent", Dir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	up := func(n int) {
		hosttest.Eventually(t, "its start", func() bool { return strings.Count(w.read(t, "up"), "up") == n })
	}
	up(2)
	hosttest.Eventually(t, "the sweep", func() bool { return w.left(t) == 3 })
	w.files(t, 1)
	again, err := w.host(t).Start(t.Context(), kernelclient.StartSpec{Kernel: "silent", Dir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	up(3)
	w.files(t, 2) // another start takes nothing from the living
	stop(t, again, true)
	w.files(t, 1)
	stop(t, k, true)
}

// left counts what kernels have in their folders.
func (w *world) left(t *testing.T) (n int) {
	t.Helper()
	for _, name := range []string{"sock", "run", "log"} {
		entries, err := os.ReadDir(filepath.Join(w.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		n += len(entries)
	}
	return n
}

// files asserts that so many kernels have their files and folders, and no more.
func (w *world) files(t *testing.T, kernels int) {
	t.Helper()
	for _, pattern := range []string{"run/kernel-nbterm-*.json", "log/kernel-nbterm-*.log", "sock/nbterm-ipc-*"} {
		found, err := filepath.Glob(filepath.Join(w.dir, pattern))
		if err != nil || len(found) != kernels {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
	if n := w.left(t); n != 3*kernels {
		t.Errorf("%d files for %d kernels", n, kernels)
	}
}

// parent starts a kernel and waits to be killed.
func parent(t *testing.T, dir string) {
	h := New(Options{Dir: dir, LogDir: dir + "/log"})
	if _, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "silent", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	w := &world{mark: "NBTERM_TEST_MARK=" + os.Getenv("NBTERM_TEST_MARK")}
	hosttest.Eventually(t, "the kernel", func() bool {
		_, err := os.Stat(dir + "/up")
		return err == nil && len(w.processes(t)) == 2
	})
	_, _ = os.Stdout.WriteString("x")
	select {}
}

func TestLogIsCut(t *testing.T) {
	f, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := &logFile{f: f} // without its goroutine
	line := strings.Repeat("x", 1023) + "\n"
	if _, err := log.f.WriteString(strings.Repeat(line, logLimit>>10)); err != nil {
		t.Fatal(err)
	}
	log.cut()
	if fi, err := log.f.Stat(); err != nil || fi.Size() != logLimit {
		t.Errorf("it was cut too early: %v, %v", fi.Size(), err)
	}
	if _, err := log.f.WriteString("the end\n"); err != nil {
		t.Fatal(err)
	}
	log.cut()
	if fi, err := log.f.Stat(); err != nil || fi.Size() != logKept {
		t.Errorf("%v, %v", fi.Size(), err)
	}
	if _, err := log.f.WriteString("\n  \nmore \x1b[31m\xff\r\n"); err != nil {
		t.Fatal(err)
	}
	words := strings.Split(log.lastWords(), "\n")
	if n := len(words); n != lastLines || words[n-1] != "more \x1b[31m�" || words[n-2] != "the end" || len(words[0]) > lineLimit+len("…") {
		t.Errorf("%d: %q", n, words)
	}
}

// Nobody asks for it: the log's own goroutine cuts what a kernel floods it with.
func TestFloodedLog(t *testing.T) {
	w := newWorld(t)
	log, err := openLog(w.dir+"/log", "x")
	if err != nil {
		t.Fatal(err)
	}
	defer log.close(true)
	p, err := startProcess("/bin/sh", []string{"sh", "-c", "head -c 9000000 /dev/zero | tr '\\000' x; touch done; sleep 1000"}, w.env, w.dir, log, starting{})
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "the cut", func() bool {
		_, missing := os.Stat(w.dir + "/done")
		fi, err := log.f.Stat()
		return missing == nil && err == nil && fi.Size() < logLimit
	})
	if err := p.kill(); err != nil {
		t.Error(err)
	}
}

func TestSocketPathsAreShort(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, claim, ok := ipcDir(environ{"XDG_RUNTIME_DIR=" + long, "TMPDIR=relative"})
	if !ok || filepath.Dir(dir) != "/tmp" || len(dir)+len("/k-5") > maxSocketPath() {
		t.Errorf("%q, %v", dir, ok)
	}
	claim.Close()
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
}

func TestWithoutDrops(t *testing.T) {
	for argv, want := range map[string]bool{
		"python -m ipykernel_launcher -f {connection_file}":                         true,
		"/x/python -Xfrozen_modules=off -m ipykernel_launcher -f {connection_file}": true,
		"python -I -m ipykernel_launcher -f {connection_file}":                      false,
		"python -m ipykernel_launcher -f {connection_file} --debug":                 false,
		"python -m ipykernel -f {connection_file}":                                  false,
		"-m ipykernel_launcher -f {connection_file}":                                false,
		"python": false,
	} {
		got, changed := withoutDrops(strings.Fields(argv))
		if changed != want || changed && (got[len(got)-3] != noDrop || got[0] != strings.Fields(argv)[0]) {
			t.Errorf("%s: %v, %q", argv, changed, got)
		}
	}
}
