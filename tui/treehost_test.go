package tui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/tui"
)

// hostsFiles are files that are elsewhere.
type hostsFiles struct{ fswatch.FS }

func (f hostsFiles) Capabilities() fswatch.Capabilities {
	c := f.FS.Capabilities()
	c.Name, c.Remote = "sandbox i3x", true
	return c
}

func (f hostsFiles) Root(context.Context) (fswatch.Path, error) { return "/home/user", nil }

func hostFiles(t *testing.T, names map[string]string) fswatch.FS {
	t.Helper()
	files := hostsFiles{memfs.New()}
	for name, data := range names {
		if _, err := files.Write(t.Context(), []fswatch.File{{Path: name, Body: strings.NewReader(data), Size: int64(len(data))}}, fswatch.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// The tree shows the files of the host, which are looked for when it opens.
func TestTreeOfAHost(t *testing.T) {
	there := hostFiles(t, map[string]string{"/home/user/far.ipynb": file("print(far)"), "/home/user/data/x.csv": "a,b\n1,2\n"})
	fail := true
	a := open(t, setup{file: file("one"), beside: map[string]string{"up.txt": "carried"}, find: func(context.Context, func(context.Context) (string, error)) (tui.FoundFiles, error) {
		if fail {
			fail = false
			return tui.FoundFiles{}, errors.New("the sandbox is made when the first cell runs")
		}
		return tui.FoundFiles{FS: there, Place: "e2b:i3x"}, nil
	}})
	a.Type("t")
	a.shows("the sandbox is made when the first cell runs")
	a.Type("esc", "t")
	a.shows("[sandbox i3x] …ome/user")
	a.rows("▌+ data/", "   far.ipynb")
	a.Type("l", "j", "enter")
	a.shows("1 rows, 2 columns")
	a.Type("q", "G", "enter")
	a.shows("print(far)", " 1 test.ipynb  2 far.ipynb")
	a.Type("t", "enter") // it is open
	a.hides("3 far.ipynb")
	a.Type("t", "U", "ctrl+u", a.at("up.txt"), "enter")
	a.shows("copied up.txt to /home/user/up.txt", "▌  up.txt")
	a.Type("D", "ctrl+u", a.at("down.txt"), "enter")
	a.shows("copied up.txt to")
	if data, err := os.ReadFile(a.at("down.txt")); err != nil || string(data) != "carried" {
		t.Errorf("%v %s", err, data)
	}
	a.Type("d")
	a.shows("there is no trash here")
	a.Type("y")
	a.shows("deleted up.txt")
	a.Type("!")
	a.shows("folders of this machine only")
	a.quits(t, 0, "ctrl+q")
}

func TestThisMachinesFilesNeedNotBeCarried(t *testing.T) {
	a := open(t, setup{file: file("one"), tree: true})
	a.Type("U")
	a.shows("on this machine already")
	a.Type("D")
	a.shows("on this machine already")
}

// readFrom reads a notebook among the files of a host.
func readFrom(ctx context.Context, ask tui.OpenAsk) ([]byte, error) {
	body, _, err := ask.Files.Open(ctx, ask.Path, fswatch.Range{})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}
