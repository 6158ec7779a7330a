package tui_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
)

func kernels(drivers map[string]kernelclient.Driver, list ...kernelclient.Kernel) *hosttest.Host {
	return &hosttest.Host{List: list, Drive: func(s kernelclient.StartSpec) kernelclient.Driver { return drivers[s.Kernel] }}
}

func TestKernelDialogOffersWhatThereIs(t *testing.T) { // B27
	two := &hosttest.Fake{Script: echo}
	a := open(t, setup{file: testdata(t, "B27.ipynb"), host: kernels(map[string]kernelclient.Driver{"python3": two},
		kernelclient.Kernel{Name: "python3", DisplayName: "Python 3", Language: "python", Found: "/env"},
		kernelclient.Kernel{Name: "broken", DisplayName: "Broken", Found: "/usr", Broken: "the program nosuch was not found"},
	)})
	a.shows("who runs me?", "no-such-kernel-xyz · not started")
	a.Type("ctrl+e")
	a.shows("no-such-kernel-xyz", "is not installed", "Kernel: ", "python3  Python 3", "here", "/env", "✗ the program nosuch was not found")
	a.Type("esc", "esc")
	a.hides("Kernel: ", "is not installed", "ran print")
	a.Type("s")
	if !strings.Contains(a.saved(), `"name": "no-such-kernel-xyz"`) {
		t.Error("the file names another kernel before one was chosen")
	}
	a.Type("ctrl+e", "bro", "enter")
	a.shows("Kernel: bro", "the program nosuch was not found")
	a.Type("ctrl+u", "PY", "enter")
	a.shows("ran print('who runs me?')", "Python 3 · idle")
	a.hides("is not installed")
	a.Type("s")
	if !strings.Contains(a.saved(), `"name": "python3"`) {
		t.Errorf("the file does not name the chosen kernel:\n%s", a.saved())
	}
}

// The list is in groups; what is typed keeps them and marks what fits best.
func TestKernelDialogGroups(t *testing.T) {
	env := func(name, dir string) kernelclient.Kernel {
		return kernelclient.Kernel{Name: name, DisplayName: "Python 3.11 (" + name + ")", Language: "python", Found: dir, Env: dir, Elsewhere: true}
	}
	drivers := map[string]kernelclient.Driver{"conda:ml": &hosttest.Fake{Script: echo}, "python3": &hosttest.Fake{}}
	a := open(t, setup{
		file: file("one"),
		host: kernels(drivers,
			kernelclient.Kernel{Name: "julia", Found: "/home/ann/.local/share/jupyter/kernels/julia", Broken: "the program julia was not found"},
			kernelclient.Kernel{Name: "ir", DisplayName: "R", Language: "R", Found: "/usr/share/jupyter/kernels/ir"},
			kernelclient.Kernel{Name: "python3", DisplayName: "Python 3", Language: "python", Found: "/work/.venv", Env: "/work/.venv"},
			kernelclient.Kernel{Name: "builtin-shell", DisplayName: "Shell (built in)", Language: "bash", Found: "built in"},
			env("conda:ml", "/home/ann/miniconda3/envs/ml"), env("pyenv:3.12.1", "/home/ann/.pyenv/versions/3.12.1"),
		),
		env: []string{"HOME=/home/ann"}, width: 100, height: 40,
	})
	a.Type("ctrl+k")
	a.order("here", "▌ ir  R", "julia  ✗ the program julia was not found", "environments", "python3  Python 3", "/work/.venv",
		"conda:ml", "~/miniconda3/envs/ml", "pyenv:3.12.1", "built in", "builtin-shell")
	a.Type("ml")
	a.order("environments", "▌ conda:ml")
	a.hides("pyenv", "julia", "here")
	a.Type("enter", "ctrl+e")
	a.shows("Python 3.11 (conda:ml) · idle", "ran one")
	a.Type("s")
	if s := a.saved(); !strings.Contains(s, `"name": "python3"`) || strings.Contains(s, "conda") {
		t.Errorf("the file names a kernel of this machine alone:\n%s", s)
	}
	a.Type("ctrl+k")
	a.order("of this notebook", "python3", "here", "environments", "● conda:ml", "pyenv:3.12.1")
}

// Kernels that run already stand in the list too; one that is joined is not ended.
func TestKernelDialogJoinsARunningKernel(t *testing.T) {
	drivers := map[string]kernelclient.Driver{"ir": &hosttest.Fake{Script: echo}, "python3": &hosttest.Fake{Script: echo}}
	h := kernels(drivers, kernelclient.Kernel{Name: "python3", DisplayName: "Python 3", Language: "python", Found: "/env"})
	h.Runs = []kernelclient.Running{
		{File: "/run/kernel-1.json", Kernel: kernelclient.Kernel{Name: "ir", DisplayName: "R", Language: "R"}, Path: "/work/paper.ipynb", PID: 4711, Started: time.Now().Add(-2 * time.Hour)},
		{File: "/run/kernel-2.json", Started: time.Now().Add(-time.Minute)},
	}
	a := open(t, setup{file: file("one"), host: h, width: 100, height: 30})
	a.Type("ctrl+k")
	a.order("here", "▌ python3", "running", "ir  /work/paper.ipynb", "process 4711 for 2h00", "a kernel  kernel-2.json", "for 1m0")
	a.Type("paper", "enter")
	a.shows("R · idle", "it goes on when nbterm ends")
	a.Type("ctrl+e")
	a.shows("ran one")
	a.quits(t, 0, "q", "d")
}

func TestKernelDialogSwitches(t *testing.T) { // B28
	drivers := map[string]kernelclient.Driver{
		"python3": &hosttest.Fake{OpenErr: errors.New("boom: module frobnicate not found")},
		"other":   &hosttest.Fake{Script: echo},
		"slow":    &hosttest.Fake{Script: block},
	}
	a := open(t, setup{file: file("one"), host: kernels(drivers,
		kernelclient.Kernel{Name: "python3", Language: "python", Found: "/a"},
		kernelclient.Kernel{Name: "slow", Language: "python", Found: "/a"},
		kernelclient.Kernel{Name: "other", Language: "python", Found: "built in"},
		kernelclient.Kernel{Name: "other", Language: "python", Found: "/far"},
	)})
	a.Type("ctrl+e")
	a.shows("boom: module frobnicate not found", "dead", "Ctrl-K chooses another")
	a.Type("ctrl+k")
	a.shows("● python3", "built in", "is nearer")
	a.Type("other", "enter")
	a.shows("other · idle")
	a.hides("boom: module frobnicate not found; 00", "dead")
	a.Type("ctrl+e")
	a.shows("ran one")
	a.Type("ctrl+k", "slow", "enter")
	a.Keys("ctrl+e")
	a.WaitFor("[*]")
	a.Keys("ctrl+k")
	a.WaitFor("● slow")
	a.Keys("other", "enter")
	a.WaitFor("a cell is running; another kernel ends it")
	a.Keys("esc")
	a.WaitScreen("the question is gone", func(s string) bool { return !strings.Contains(s, "another kernel ends it") })
	a.Keys("ctrl+k")
	a.WaitFor("● slow")
	a.Keys("other", "enter")
	a.WaitFor("another kernel ends it")
	a.Keys("x")
	a.WaitFor("other · idle")
	a.WaitIdle()
	a.shows("died", "changed to other")
	if !drivers["slow"].(*hosttest.Fake).Closed() {
		t.Error("the old kernel still runs")
	}
}

// TestRealBrokenKernels walks through kernels of this machine that cannot work, to one
// that can.
func TestRealBrokenKernels(t *testing.T) { // B28
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("NBTERM_TEST_REQUIRE") != "" || os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no python3")
	}
	kernels, err := filepath.Abs("../testdata/kernels/broken")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Symlink(kernels, filepath.Join(root, "kernels")); err != nil {
		t.Fatal(err)
	}
	env := []string{"JUPYTER_PATH=" + root, "HOME=" + root, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + t.TempDir()}
	host := local.New(local.Options{Dir: root, Env: env, LogDir: t.TempDir()})
	text := strings.Replace(file("print(6*7)"), `"metadata": {}`, `"metadata": {"kernelspec": {"name": "dies-at-start"}}`, 2)
	a := open(t, setup{file: text, host: host, width: 100, height: 30})
	a.Type("ctrl+e")
	a.WaitFor("boom: module frobnicate not found")
	a.WaitFor("dead")
	a.Type("ctrl+k")
	a.shows("bad-json", "missing-binary", "no-such-binary-xyz", "no-argv", "builtin-python")
	a.Type("builtin", "enter")
	a.WaitFor("idle")
	a.Type("ctrl+e")
	a.shows("42")
}
