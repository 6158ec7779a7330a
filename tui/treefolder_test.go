package tui_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/tui"
)

// inFolder is a kernel that has no process here and tells where it is.
func inFolder(dir func() string) *hosttest.Fake {
	return &hosttest.Fake{
		Completer:     offers("print"),
		WorkingFolder: func(context.Context) (string, error) { return dir(), nil },
	}
}

func TestTreeAsksTheKernelForItsFolder(t *testing.T) {
	var a *app
	k := inFolder(func() string { return a.at("in") })
	a = open(t, setup{file: file("one"), script: echo, asks: k, tree: true, beside: map[string]string{"in/inner.txt": ""}})
	a.Type("esc", "ctrl+j")
	a.WaitFor("ran one")
	a.WaitIdle()
	a.Type("t", "C")
	a.shows("the kernel is here")
	a.rows("▌  inner.txt")
	a.shows("[1]", "idle") // not counted, and not seen running
}

func TestTreeOfAKernelThatCannotTell(t *testing.T) {
	a := open(t, setup{file: file("one"), script: echo, tree: true, beside: map[string]string{"in/inner.txt": ""}})
	a.Type("esc", "ctrl+j")
	a.WaitFor("ran one")
	a.WaitIdle()
	a.Type("t", "u", "C")
	a.shows("the kernel does not tell where it is; this is where it began")
}

// A host's own files are shown where its kernel is; those of a server that has names of its
// own for them are not taken for the kernel's.
func TestTreeOfAHostsKernelFolder(t *testing.T) {
	for modes, want := range map[bool]string{true: "the kernel is here", false: "the kernel is in /home/user/data"} {
		there := modesOf{hostFiles(t, map[string]string{"/home/user/data/x.csv": "a\n"}), modes}
		a := open(t, setup{
			file: file("one"), width: 120, height: 24, script: echo, asks: inFolder(func() string { return "/home/user/data" }),
			find: func(context.Context, func(context.Context) (string, error)) (tui.FoundFiles, error) {
				return tui.FoundFiles{FS: there, Place: "e2b:i3x"}, nil
			},
		})
		a.Type("ctrl+j")
		a.WaitFor("ran one")
		a.WaitIdle()
		a.Type("t")
		a.shows("data/")
		a.Type("C")
		a.shows(want)
	}
}

type modesOf struct {
	fswatch.FS
	modes bool
}

func (f modesOf) Capabilities() fswatch.Capabilities {
	c := f.FS.Capabilities()
	c.Modes = f.modes
	return c
}

// Another machine's folder is never looked for on this one.
func TestTreeOfAFarKernel(t *testing.T) {
	a := open(t, setup{file: file("one"), far: true, script: echo, tree: true, width: 120, height: 24, beside: map[string]string{"in/x": ""}, asks: inFolder(func() string { return "/far/away" })})
	a.Type("esc", "ctrl+j")
	a.WaitFor("ran one")
	a.WaitIdle()
	a.Type("t", "u")
	a.shows("- " + filepath.Base(filepath.Dir(a.path)) + "/")
	a.Type("C")
	a.shows("in /far/away; this is the notebook's folder")
	a.rows("▌+ in/", "   test.ipynb *")
}
