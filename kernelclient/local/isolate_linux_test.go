package local

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/isolate"
)

// box makes a box whose root is the world's working folder. Where the system allows none, the
// test ends: that the refusal is in plain words is all there is to see then.
func (w *world) box(t *testing.T) *isolate.Box {
	t.Helper()
	bwrap, err := isolate.Find()
	if err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	b := &isolate.Box{Bwrap: bwrap, Root: w.dir + "/wd", Hidden: []string{w.dir + "/home", w.dir + "/run"}}
	if err := b.Try(t.Context()); err != nil {
		if !errors.Is(err, isolate.ErrUnavailable) || len(err.Error()) < len(isolate.ErrUnavailable.Error())+3 {
			t.Errorf("a refusal without a reason: %v", err)
		}
		t.Skip(err)
	}
	return b
}

// outlooks is what a kernel in a box tries, in Python and as a shell: a folder of its own, one
// elsewhere, a file of the machine's /tmp, one that is hidden, one beside the system's, the
// processes of the machine, a port of it.
var outlooks = map[string]string{
	"python": `
import os, socket
def can(what, do):
    try:
        do(); print(what, "yes")
    except OSError:
        print(what, "no")
can("write", lambda: open("made", "w").close())
can("machine", lambda: open("%[1]s/out").close())
can("tmp", lambda: open("/tmp/mine", "w").close())
can("secret", lambda: open("%[1]s/home/secret").close())
can("system", lambda: open("/etc/nbterm-made", "w").close())
can("sysctl", lambda: open("/proc/sys/kernel/hostname", "w").close())
can("process", lambda: os.kill(%[2]d, 0))
can("port", lambda: socket.create_connection(("127.0.0.1", %[3]d), 5).close())
`,
	"bash": `
can() { what=$1; shift; if eval "$*" 2>/dev/null; then echo "$what yes"; else echo "$what no"; fi; }
can write ': >made'
can machine ': <%[1]s/out'
can tmp ': >/tmp/mine'
can secret ': <%[1]s/home/secret'
can system ': >/etc/nbterm-made'
can sysctl ': >/proc/sys/kernel/hostname'
can process 'kill -0 %[2]d'
can port ': >/dev/tcp/127.0.0.1/%[3]d'
`,
}

// TestIsolated outlooks around from inside, interrupts, kills and restarts, for every kind of kernel.
func TestIsolated(t *testing.T) {
	for _, kernel := range []string{kernelclient.BuiltinPython, kernelclient.BuiltinShell, "python3"} {
		t.Run(kernel, func(t *testing.T) {
			w := newWorld(t)
			w.python(t)
			box := w.box(t)
			write(t, w.dir+"/home/secret", "s", 0o600)
			write(t, w.dir+"/out", "in the machine's /tmp", 0o600)
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			k := start(t, w.host(t, func(o *Options) { o.Box = box }), kernelclient.StartSpec{Kernel: kernel, Dir: w.dir + "/wd"})
			language := "python"
			if kernel == kernelclient.BuiltinShell {
				language = "bash"
			}
			code := fmt.Sprintf(outlooks[language], w.dir, os.Getpid(), l.Addr().(*net.TCPAddr).Port)
			const want = "write yes\nmachine no\ntmp yes\nsecret no\nsystem no\nsysctl no\nprocess no\nport no\n"
			_, events := k.Do(code)
			if got := strings.ReplaceAll(hosttest.Words(events), "|stdout:", ""); got != "stdout:"+want {
				t.Errorf("got %q", got)
			}
			if _, err := os.Stat("/tmp/mine"); err == nil {
				t.Error("its /tmp is the machine's")
			}
			if _, err := os.Stat(filepath.Join(w.dir, "wd/made")); err != nil {
				t.Error(err)
			}
			w.endings(t, k, language)
		})
	}
}

// endings interrupts a run, and kills and restarts the kernel, whose other processes go along.
func (w *world) endings(t *testing.T, k *hosttest.Client, language string) {
	t.Helper()
	loop, child, suicide := "print('go', flush=True)\nimport time\nwhile True: time.sleep(0.05)", "import subprocess; p = subprocess.Popen(['sleep', '1000'], start_new_session=True)", "import os; os.kill(os.getpid(), 9)"
	if language == "bash" {
		loop, child, suicide = "echo go; while :; do sleep 0.05; done", "setsid sleep 1000 &", "kill -9 $$"
	}
	id := k.Submit(loop)
	k.Wait("its first output", func(e event.Event) bool { _, ok := e.Body.(event.Stream); return ok && e.Exec == id })
	if err := k.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, _ := k.Ended(id); end.Reason != event.Interrupted {
		t.Errorf("ended %+v", end)
	}
	if end, _ := k.Do(child); end.Reason != event.Done {
		t.Errorf("%+v", end)
	}
	if len(w.processes(t)) == 0 {
		t.Error("no process is known by its mark")
	}
	end, _ := k.Do(suicide)
	if end.Reason != event.Died {
		t.Errorf("%+v", end)
	}
	w.gone(t)
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Do("echo = 1\nprint(echo)"); language == "python" && (end.Reason != event.Done || hosttest.Words(events) != "stdout:1\n") {
		t.Errorf("after the restart: %+v %q", end, hosttest.Words(events))
	}
}
