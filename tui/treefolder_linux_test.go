package tui

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// A shell's own folder counts, and where a program of another kind is the kernel that of the
// shell below it, which alone runs the cells.
func TestProcessFolder(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	begin, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const shell = "cd / && echo there && read x"
	const kernel = "import subprocess, sys; subprocess.run([sys.argv[1], '-c', sys.argv[2]])"
	for _, c := range []struct {
		args  []string
		shell bool
		want  string
	}{
		{[]string{bash, "-c", shell}, true, "/"},
		{[]string{bash, "-c", "mkdir gone && cd gone && rmdir ../gone && echo there && read x"}, true, ""},
		{[]string{python, "-c", kernel, bash, shell}, true, "/"},
		{[]string{python, "-c", kernel, bash, shell}, false, begin},
		{[]string{python, "-c", "print('there', flush=True); input()"}, true, ""},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Dir = begin
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "there\n" {
			t.Errorf("%v: %q %v", c.args, line, err)
		}
		got, ok := processFolder(cmd.Process.Pid, c.shell)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%v, a shell: %v: %q %v", c.args, c.shell, got, ok)
		}
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if got, ok := processFolder(0, false); ok {
		t.Errorf("of no process: %q", got)
	}
}
