//go:build linux

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

const mega = 1 << 20

// memory is how many bytes a process has of its own now, and how many it had at most: the
// pages of the program's file are not counted.
func memory(t testing.TB, pid int) (now, most int) {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	kilobytes := func(name string) int {
		found := regexp.MustCompile(name + `:\s+(\d+)`).FindSubmatch(status)
		if found == nil {
			t.Skipf("this system does not say %s", name)
		}
		n, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n << 10
	}
	return kilobytes("RssAnon"), kilobytes("VmHWM") - kilobytes("RssFile")
}

// bigFile writes a notebook of so many code cells with so many bytes of output each.
func bigFile(t testing.TB, cells, output int) (path string, size int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "big.ipynb")
	text := bigNotebook(cells, output)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, len(text)
}

func TestMemoryAtRest(t *testing.T) {
	x := open(t, "--kernel", "builtin-python", code(t, "print('a' + 'b')"))
	x.see("print(")
	x.keys(ctrlE)
	x.see("ab", "idle")
	now, _ := memory(t, x.cmd.Process.Pid)
	if now > 30*mega {
		t.Errorf("%d MB at rest, the budget is 30", now/mega)
	}
	t.Logf("%d MB", now/mega)
	x.quit()
}

// The budget is half the file's size more, and the program itself, which counts little
// beside the 200 MB that it was made for.
func TestMemoryOfLargeNotebooks(t *testing.T) {
	for _, c := range []struct {
		name          string
		cells, output int
		budget        func(size int) int
	}{
		{"5,000 cells", 5000, 100, func(int) int { return 60 * mega }},
		{"40 MB of lines", 1, 40_000_000, func(size int) int { return size*3/2 + 10*mega }},
		{"40 MB in ten cells", 10, 4_000_000, func(size int) int { return size*3/2 + 10*mega }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, size := bigFile(t, c.cells, c.output)
			x := open(t, path)
			x.see("x = 0")
			x.keys("z") // handled once the first frame is done
			x.see("nothing to undo")
			_, most := memory(t, x.cmd.Process.Pid)
			if budget := c.budget(size); most > budget {
				t.Errorf("the budget is %d MB", budget/mega)
			}
			t.Logf("%d MB for a file of %d MB", most/mega, size/mega)
			x.quit()
		})
	}
}
