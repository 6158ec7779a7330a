package health

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	line := "7 (odd ) name) S 1 70 700 0 -1 4194304 1 2 3 4 150 25 0 0 20 0 1 0 5 1000000 2048 18446744073709551615 1 1\n"
	p, ok := parseStat([]byte(line))
	if want := (process{'S', 70, 700, 175, 2048}); !ok || p != want {
		t.Errorf("got %+v %v, want %+v", p, ok, want)
	}
	for _, bad := range []string{"", "7 (x", "7 (x) S 1 2", "7 (x) S a b c d e f g h i j k l m n o p q r s t u v"} {
		if _, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestMachine(t *testing.T) {
	used, limit := machine("MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    100 kB\n")
	if u := (Usage{Used: used, Limit: limit}); limit != 1000<<10 || u.Full() != 0.9 {
		t.Errorf("%d of %d", used, limit)
	}
	if used, limit := machine("nothing"); used != 0 || limit != 0 {
		t.Errorf("%d of %d", used, limit)
	}
}

func TestParseApps(t *testing.T) {
	got := parseApps("12, 300\n 12, 24\n13, 7\n14, [N/A]\nnonsense\n", map[int]bool{12: true, 14: true})
	if got != 324<<20 {
		t.Error(got)
	}
}

// A kernel's children count as it does, and others do not.
func TestRead(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "nvidia-smi"), []byte("#!/bin/sh\nexit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path+":"+os.Getenv("PATH"))
	cmd := exec.Command("sh", "-c", "sleep 600 & echo up; read line")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	m := New(cmd.Process.Pid)
	u, err := m.Read(t.Context())
	if err != nil || u.Processes != 2 || u.Resident < 100_000 || u.Limit < 1<<20 || u.Used <= 0 || u.Full() > 1.2 || u.GPU != 0 {
		t.Errorf("%+v %v", u, err)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	for u.Processes > 0 { // the child is reaped by another
		if u, err = m.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGPUIsAskedNowAndThen(t *testing.T) {
	path := t.TempDir()
	calls := filepath.Join(path, "calls")
	script := "#!/bin/sh\necho x >>" + calls + "\necho 5, 100\n"
	if err := os.WriteFile(filepath.Join(path, "nvidia-smi"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path+":"+os.Getenv("PATH"))
	var g gpu
	for range 3 {
		if got := g.read(context.Background(), map[int]bool{5: true}); got != 100<<20 {
			t.Errorf("got %d", got)
		}
	}
	if data, err := os.ReadFile(calls); err != nil || string(data) != "x\n" {
		t.Errorf("%q %v", data, err)
	}
}

func TestLoad(t *testing.T) {
	at := time.Unix(100, 0)
	before := Usage{At: at, CPU: 3 * time.Second}
	after := Usage{At: at.Add(2 * time.Second), CPU: 6 * time.Second}
	for _, c := range []struct {
		u, before Usage
		want      float64
	}{{after, before, 1.5}, {after, Usage{}, 0}, {before, after, 0}} {
		if got := c.u.Load(c.before); got != c.want {
			t.Errorf("got %g, want %g", got, c.want)
		}
	}
}
