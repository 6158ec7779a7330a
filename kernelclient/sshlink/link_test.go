//go:build unix

package sshlink

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/nbterm/nbterm/kernelclient"
)

// TestMain is also the nbterm of the other machine: its connections are echoes.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "nbterm" {
		if why := os.Getenv("FAILING"); why != "" {
			_ = Fail(os.Stdout, errors.New(why))
			os.Exit(1)
		}
		in, out := Standard()
		if err := Serve(context.Background(), in, out, echo); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// echo is a connection that says what it is told.
func echo(context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	go func() {
		_, _ = io.Copy(there, there) // it ends with the connection
		_ = there.Close()
	}()
	return here, nil
}

// machine is another machine: its home, and an ssh that reaches it.
type machine struct {
	t   *testing.T
	dir string
}

// newMachine makes an ssh that runs its last argument as sshd does, in a home of its own.
// lines run before that.
func newMachine(t *testing.T, lines ...string) *machine {
	t.Helper()
	m := &machine{t, t.TempDir()}
	for _, dir := range []string{"home", "bin"} {
		if err := os.Mkdir(m.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := "#!/bin/sh\n" + `echo "$$" >>"` + m.path("pids") + `"` + "\n" + strings.Join(lines, "\n") + "\n" +
		`for a; do :; done` + "\n" + `cd "` + m.path("home") + `" && exec env -i HOME="$PWD" FAILING="$FAILING" PATH="` + m.path("bin") + `:/usr/bin:/bin" sh -c "$a"` + "\n"
	m.write("ssh", text)
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

// write makes a program.
func (m *machine) write(name, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), 0o700); err != nil {
		m.t.Fatal(err)
	}
}

// has puts nbterm into a folder there.
func (m *machine) has(dir string) {
	m.t.Helper()
	if err := os.MkdirAll(m.path(dir), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(own(m.t), m.path(dir+"/nbterm")); err != nil {
		m.t.Fatal(err)
	}
}

func own(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// link is one to the machine that ends with the test.
func (m *machine) link(change func(*Options)) *Link {
	opt := Options{Host: "box", Program: m.path("ssh")}
	if change != nil {
		change(&opt)
	}
	l := New(opt)
	m.t.Cleanup(func() { _ = l.Close() })
	return l
}

// pids are the numbers of every ssh that was started.
func (m *machine) pids() (pids []int) {
	m.t.Helper()
	data, err := os.ReadFile(m.path("pids"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatal(err)
	}
	for _, word := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			m.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// dial connects, and checks that the other end answers.
func dial(t *testing.T, l *Link) net.Conn {
	t.Helper()
	conn, err := l.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	says(t, conn, "hello\n")
	return conn
}

func says(t *testing.T, conn net.Conn, line string) {
	t.Helper()
	if _, err := io.WriteString(conn, line); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(conn).ReadString('\n'); got != line || err != nil {
		t.Fatalf("%q %v", got, err)
	}
}

// ofOurs is an error as whoever dials sees it.
func ofOurs(t *testing.T, err error) *kernelclient.Error {
	t.Helper()
	var own *kernelclient.Error
	if !errors.As(err, &own) || own.Kind != kernelclient.Disconnect {
		t.Fatalf("%#v", err)
	}
	return own
}

// nbterm is found in PATH and where it was copied to, whatever is printed at the login.
func TestFindsProgram(t *testing.T) {
	for _, dir := range []string{"bin", "home/.local/bin"} {
		t.Run(dir, func(t *testing.T) {
			m := newMachine(t, "echo Welcome; echo; echo 'nbterm-link'; echo noise >&2")
			m.has(dir)
			l := m.link(nil)
			if err := l.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, b := dial(t, l), dial(t, l)
			says(t, a, "again\n")
			says(t, b, "and again\n")
			if n := len(m.pids()); n != 1 {
				t.Errorf("%d ssh for two connections", n)
			}
		})
	}
}

// program is this one, to be copied.
func program(t *testing.T) Program {
	t.Helper()
	f, err := os.Open(own(t))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Program{ReadCloser: f, Size: n, Sum: hex.EncodeToString(sum.Sum(nil))}
}

// Where nbterm is missing it is copied, and from then on it is there.
func TestCopies(t *testing.T) {
	m := newMachine(t)
	system, copied := "", 0
	l := m.link(func(o *Options) {
		o.Copy = func(_ context.Context, s string) (Program, error) {
			system, copied = s, copied+1
			return program(t), nil
		}
	})
	if err := l.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	dial(t, l)
	want, err := exec.Command("uname", "-sm").Output()
	if err != nil || system != strings.TrimSpace(string(want)) {
		t.Errorf("the system is %q, %v", system, err)
	}
	names, err := filepath.Glob(m.path("home/.local/bin/*"))
	if hidden, _ := filepath.Glob(m.path("home/.local/bin/.*")); err != nil || len(names) != 1 || len(hidden) != 0 {
		t.Errorf("%v %v %v", names, hidden, err)
	}
	if info, err := os.Stat(m.path("home/.local/bin/nbterm")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
	again := m.link(nil)
	dial(t, again)
	if copied != 1 {
		t.Errorf("copied %d times", copied)
	}
}

// A copy that came out different is not put there.
func TestDamagedCopy(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("there is no sha256sum")
	}
	m := newMachine(t)
	l := m.link(func(o *Options) {
		o.Copy = func(context.Context, string) (Program, error) {
			p := program(t)
			p.Sum = strings.Repeat("0", len(p.Sum))
			return p, nil
		}
	})
	err := ofOurs(t, l.Connect(t.Context()))
	if !strings.Contains(err.Error(), "the copy is damaged") {
		t.Error(err)
	}
	if names, _ := os.ReadDir(m.path("home/.local/bin")); len(names) != 0 {
		t.Errorf("left there: %v", names)
	}
}

// Who says no gets his own words back, and nothing was written there.
func TestCopyRefused(t *testing.T) {
	m := newMachine(t)
	no := errors.New("no")
	l := m.link(func(o *Options) {
		o.Copy = func(context.Context, string) (Program, error) { return Program{}, no }
	})
	if err := l.Connect(t.Context()); !errors.Is(err, no) {
		t.Error(err)
	}
	if names, _ := os.ReadDir(m.path("home")); len(names) != 0 {
		t.Errorf("left there: %v", names)
	}
}

// Nobody is asked where nobody can answer.
func TestMissing(t *testing.T) {
	m := newMachine(t)
	l := m.link(func(o *Options) {
		o.Copy = func(context.Context, string) (Program, error) {
			t.Error("asked")
			return Program{}, io.EOF
		}
	})
	_, err := l.Dial(t.Context())
	if own := ofOurs(t, err); own.What != "there is no nbterm on box" || !strings.Contains(own.Next, "nbterm ssh box") {
		t.Error(own.What, own.Next)
	}
}

// What goes wrong is said in the words of whoever knows.
func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"unreachable": {"echo 'ssh: connect to host box port 22: No route to host' >&2; exit 255", []string{"ssh does not reach box", "No route to host", "`ssh box` alone"}},
		"host key":    {"echo 'REMOTE HOST IDENTIFICATION HAS CHANGED!' >&2; echo 'Host key verification failed.' >&2; exit 255", []string{"Host key verification failed", "right machine"}},
		"no key":      {"echo 'ann@box: Permission denied (publickey).' >&2; exit 255", []string{"Permission denied", "kernels go on"}},
		"old nbterm":  {"echo 'nbterm: unknown command \"link\"' >&2; exit 2", []string{"nbterm does not start on box", "unknown command", "update nbterm there"}},
		"silent end":  {"exit 3", []string{"ssh does not reach box", "status 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, c.line)
			_, err := m.link(nil).Dial(t.Context())
			own := ofOurs(t, err)
			for _, want := range c.want {
				if !strings.Contains(own.Error()+"\n"+own.Next, want) {
					t.Errorf("%q is not in %q, %q", want, own, own.Next)
				}
			}
		})
	}
	t.Run("failed there", func(t *testing.T) {
		m := newMachine(t, "export FAILING='the state folder\n is not yours'")
		m.has("bin")
		_, err := m.link(nil).Dial(t.Context())
		if own := ofOurs(t, err); own.What != "nbterm on box cannot start: the state folder  is not yours" {
			t.Error(own)
		}
	})
	t.Run("no ssh", func(t *testing.T) {
		l := New(Options{Host: "box", Program: "no-such-ssh"})
		defer l.Close()
		_, err := l.Dial(t.Context())
		if own := ofOurs(t, err); own.What != "there is no ssh program here" || own.Next == "" {
			t.Error(own)
		}
	})
}

// An ssh that was killed is replaced when the next connection is made.
func TestKilled(t *testing.T) {
	m := newMachine(t)
	m.has("bin")
	l := m.link(nil)
	for n := range 3 {
		conn := dial(t, l)
		pids := m.pids()
		if len(pids) != n+1 {
			t.Fatalf("%d ssh were started, want %d", len(pids), n+1)
		}
		if err := syscall.Kill(pids[n], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, io.EOF) {
			t.Logf("it ended with %v", err) // that it ended is what counts
		}
	}
	dial(t, l)
}

// A line that went silent is given up, with an ssh that does not even run, and made anew.
func TestSilent(t *testing.T) {
	m := newMachine(t)
	m.has("bin")
	l := m.link(nil)
	l.deaf = 3 * time.Second
	conn := dial(t, l)
	if err := syscall.Kill(m.pids()[0], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); len(got) != 0 {
		t.Errorf("%q %v", got, err)
	}
	dial(t, l)
}

// Close waits for no line that went silent.
func TestCloseSilent(t *testing.T) {
	m := newMachine(t)
	m.has("bin")
	l := m.link(nil)
	dial(t, l)
	if err := syscall.Kill(m.pids()[0], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := syscall.Kill(m.pids()[0], 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("ssh lives: %v", err)
	}
}

// The other end goes, too, when nothing is heard any more, with all that it carries.
func TestServeSilent(t *testing.T) {
	in, heard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	defer said.Close()
	ended := make(chan error, 1)
	go func() { ended <- serve(t.Context(), ends{in, out}, 100*time.Millisecond, echo) }()
	if err := <-ended; err != nil && !errors.Is(err, yamux.ErrKeepAliveTimeout) {
		t.Error(err)
	}
}

// While the other machine cannot be reached, tries are few.
func TestPauses(t *testing.T) {
	m := newMachine(t, "echo 'no route' >&2; exit 255")
	l := m.link(nil)
	for range 200 {
		if _, err := l.Dial(t.Context()); err == nil {
			t.Fatal("connected")
		}
	}
	if n := len(m.pids()); n < 1 || n > 20 {
		t.Errorf("%d tries", n)
	}
}

// All who wait get the same try, and one who does not want to wait any more ends none.
func TestOneTry(t *testing.T) {
	m := newMachine(t, `until [ -e "$0.go" ]; do sleep 0.05; done`)
	m.has("bin")
	l := m.link(nil)
	early, leave := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := l.Dial(early)
		ended <- err
	}()
	for range 3 {
		go func() {
			conn, err := l.Dial(t.Context())
			if err == nil {
				err = conn.Close()
			}
			ended <- err
		}()
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	m.write("ssh.go", "")
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if n := len(m.pids()); n != 1 {
		t.Errorf("%d tries", n)
	}
}

// Close ends ssh and the connections, and no new ones are made.
func TestClose(t *testing.T) {
	m := newMachine(t)
	m.has("bin")
	l := m.link(nil)
	conn := dial(t, l)
	_ = l.Close()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection lives")
	}
	if err := syscall.Kill(m.pids()[0], 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("ssh lives: %v", err)
	}
	if _, err := l.Dial(t.Context()); err == nil {
		t.Error("connected")
	}
	if n := len(m.pids()); n != 1 {
		t.Errorf("%d ssh", n)
	}
}

// The user's settings for terminal work are put aside, and their own options come first.
func TestArguments(t *testing.T) {
	m := newMachine(t, `printf '%s\n' "$@" >"$0.args"; exit 255`)
	l := m.link(func(o *Options) { o.Args = []string{"-p", "2222"} })
	for _, c := range []struct {
		try   func() error
		batch bool
	}{
		{func() error { return l.Connect(t.Context()) }, false},
		{func() error { _, err := l.Dial(t.Context()); return err }, true},
	} {
		if c.try() == nil {
			t.Fatal("connected")
		}
		data, err := os.ReadFile(m.path("ssh.args"))
		args := strings.Split(strings.TrimSpace(string(data)), "\n")
		if err != nil || args[0] != "-p" || args[1] != "2222" || args[len(args)-3] != "--" || args[len(args)-2] != "box" {
			t.Errorf("%q %v", args, err)
		}
		if got := strings.Contains(string(data), "BatchMode=yes"); got != c.batch {
			t.Errorf("%q", args)
		}
	}
}
