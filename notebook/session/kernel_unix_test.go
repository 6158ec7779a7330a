//go:build unix

package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

// realSession runs a notebook of testdata on this machine's kernel of that name: ipykernel
// as "python3", the one that needs no packages as "builtin-python". It works in testdata, or
// in another folder if one is given.
func realSession(t *testing.T, doc *notebook.Document, kernel string, folder ...string) *session.Session {
	t.Helper()
	python := hosttest.Python(t)
	dir, err := os.MkdirTemp("", "nbt") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	work, err := filepath.Abs(append(folder, "testdata")[0])
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "XDG_RUNTIME_DIR="+dir, "JUPYTER_RUNTIME_DIR="+dir, "IPYTHONDIR="+dir,
		"PYTHONDONTWRITEBYTECODE=1", "VIRTUAL_ENV="+filepath.Dir(filepath.Dir(python)))
	host := local.New(local.Options{Dir: work, Env: env, LogDir: dir})
	s := session.New(doc, host, session.Options{Kernel: kernel, Dir: work, StartupTimeout: time.Minute})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(s.Stop(ctx, false), s.Close(), host.Close(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fromFile(t *testing.T, name string) *notebook.Document {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := notebook.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// set_next_input and %load as ipykernel sends them.
func TestIPykernelChangesCells(t *testing.T) {
	doc := fromFile(t, "B22.ipynb")
	s := realSession(t, doc, "python3")
	before := sources(doc)
	for _, c := range doc.Cells() {
		runOne(t, s, c.Key)
	}
	loaded := "# %load B22_snippet.py\ndef loaded():\n    return 'from file'\n"
	expectSources(t, doc, "y = 2", before[1], "z = 3", loaded)
	if _, err := doc.Undo(); err != nil { // one is enough
		t.Fatal(err)
	}
	expectSources(t, doc, "y = 2", before[1], "z = 3", before[2])
}

func TestIPykernelPage(t *testing.T) {
	doc := codeCells(t, "len?")
	s := realSession(t, doc, "python3")
	c := runOne(t, s, doc.Cells()[0].Key)
	if len(c.Pages) != 1 || len(doc.Cells()[0].Outputs()) != 0 {
		t.Fatalf("%+v, outputs %q", c, text(doc.Cells()[0]))
	}
	page, _ := c.Pages[0].Data.Plain()
	if !strings.Contains(page, "Return the number of items in a container.") || !strings.Contains(page, "\x1b[") {
		t.Errorf("the page is %q", page)
	}
}

// exit() ends the kernel in good order, quit(keep_kernel=True) and sys.exit(3) do not.
func TestExitInCells(t *testing.T) {
	for _, kernel := range []string{"python3", "builtin-python"} {
		t.Run(kernel, func(t *testing.T) {
			doc := fromFile(t, "B13.ipynb")
			s := realSession(t, doc, kernel)
			cells := doc.Cells()
			runOne(t, s, cells[0].Key)
			runOne(t, s, cells[1].Key)
			if st := s.State(); st.State != event.Dead || st.Detail != "the kernel ended by its code (exit)" {
				t.Errorf("after exit(): %+v", st)
			}
			if s.Status(cells[1].Key).Phase != session.Done {
				t.Errorf("exit() itself: %+v", s.Status(cells[1].Key))
			}
			runOne(t, s, cells[2].Key)
			if got := text(doc.Cell(cells[2].Key)); got != "after exit\n" || s.State().Generation != 2 {
				t.Errorf("the next cell: %q, %+v", got, s.State())
			}
			runOne(t, s, cells[3].Key)
			runOne(t, s, cells[4].Key)
			if got := text(doc.Cell(cells[4].Key)); !strings.Contains(got, "SystemExit") || s.Status(cells[4].Key).Phase != session.Failed {
				t.Errorf("sys.exit(3): %q, %+v", got, s.Status(cells[4].Key))
			}
			runOne(t, s, cells[0].Key)
			if s.State().Generation != 2 || s.Status(cells[0].Key).Phase != session.Done {
				t.Errorf("the kernel did not live on: %+v", s.State())
			}
		})
	}
}

// A kernel is asked while the session's owner goes on, and says at once that it is busy.
func TestAskRealKernels(t *testing.T) {
	for _, kernel := range []string{"python3", "builtin-python"} {
		t.Run(kernel, func(t *testing.T) {
			doc := codeCells(t, "import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)", "value = 1\n'😀'; value.bit_l", hosttest.WarmUp)
			s := realSession(t, doc, kernel)
			key, source := doc.Cells()[1].Key, doc.Cells()[1].Source
			runOne(t, s, doc.Cells()[2].Key)
			runOne(t, s, key) // fails, but there is a value then
			c, err := s.Complete(t.Context(), key, source, len(source))
			if err != nil || len(c.Matches) == 0 || !strings.HasSuffix(source[:c.Start]+c.Matches[0].Text, "'😀'; value.bit_length") {
				t.Errorf("%+v %v", c, err)
			}
			busy := doc.Cells()[0].Key
			if err := s.Run(t.Context(), busy); err != nil {
				t.Fatal(err)
			}
			// Its output is the sign that an interrupt will reach the code.
			until(t, s, func() bool { return text(doc.Cell(busy)) == "on\n" })
			began := time.Now()
			if _, err := s.Complete(t.Context(), key, source, len(source)); !errors.Is(err, kernelclient.ErrBusy) || time.Since(began) > 5*time.Second {
				t.Errorf("busy: %v after %s", err, time.Since(began))
			}
			if err := s.Interrupt(t.Context()); err != nil {
				t.Fatal(err)
			}
			until(t, s, func() bool { return !s.Running() })
		})
	}
}

// After an error the rest of a run is not run, and a run by hand right after it is not
// dropped with that rest.
func TestRunByHandAfterAnError(t *testing.T) { // B15
	for _, kernel := range []string{"python3", "builtin-python"} {
		t.Run(kernel, func(t *testing.T) {
			doc := fromFile(t, "B15.ipynb")
			dir := t.TempDir()
			s := realSession(t, doc, kernel, dir)
			cells := doc.Cells()
			keys := []notebook.CellKey{cells[0].Key, cells[1].Key, cells[2].Key, cells[3].Key}
			if err := s.Run(t.Context(), keys...); err != nil {
				t.Fatal(err)
			}
			until(t, s, func() bool { return s.Status(keys[1]).Phase == session.Failed })
			if err := s.Run(t.Context(), keys[3]); err != nil {
				t.Fatal(err)
			}
			until(t, s, func() bool { return !s.Running() })
			for i, want := range []string{"first\n", "ValueError", "", "fourth\n"} {
				c := doc.Cell(keys[i])
				if text(c) != want || (c.Count != 0) != (want != "") || (s.Status(keys[i]).Phase == session.NotRun) != (want == "") {
					t.Errorf("cell %d: %q, count %d, %+v", i+1, text(c), c.Count, s.Status(keys[i]))
				}
			}
			if n := doc.Cell(keys[3]).Count; n != 3 { // so it ran once
				t.Errorf("cell 4 has the count %d", n)
			}
			if _, err := os.Stat(filepath.Join(dir, "marker.txt")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("cell 3 ran: %v", err)
			}
		})
	}
}
