//go:build unix

package builtin

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// openIPython starts the kernel around IPython. Tests need a Python that has it.
func openIPython(t testing.TB) *kernel {
	t.Helper()
	python := testPython(t)
	if err := exec.Command(python, "-c", "import IPython").Run(); err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("no IPython: ", err)
		}
		t.Skip("no IPython: ", err)
	}
	t.Setenv("IPYTHONDIR", t.TempDir())
	return open(t, PythonOptions{Python: python, IPython: true})
}

// cellsOfIPython are cells and what they give, in order, on one kernel; a want that ends in
// … is the beginning.
var cellsOfIPython = []struct{ name, code, want string }{
	{"print", "print('one')", "out:one\n"},
	{"result", "6*7", "result:42"},
	{"last", "_ + 1", "result:43"},
	{"Out", "Out[2], len(In), In[2]", "result:(42, 5, '6*7')"},
	{"quiet", "1;", ""},
	{"name", "__name__", "result:'__main__'"},
	{"error", "print('before')\n1/0", "out:before\n|error:ZeroDivisionError:division by zero"},
	{"syntax", "def f(:", "error:SyntaxError:…"},
	{"shell", "!echo shell $((2+3))", "out:shell 5\n"},
	{"shell value", "files = !printf 'a\\nb\\n'\nlist(files)", "result:['a', 'b']"},
	{"shell status", "!exit 3\n_exit_code", "result:3"},
	{"cell magic", "%%bash\necho hello from bash\n", "out:hello from bash\n"},
	{"cell magic stderr", "%%bash\necho oops >&2\n", "err:oops\n"},
	{"timeit", "%%timeit -n 1 -r 1\nsum(range(10))", "out:…"},
	{"writefile", "%%writefile demo_out.txt\n  indented first line\nlast", "out:Writing demo_out.txt\n"},
	{"its file", "open('demo_out.txt').read()", "result:'  indented first line\\nlast\\n'"},
	{"load", "%load demo_out.txt", "payload:set_next_input"},
	{"pager", "len?", "payload:page"},
	{"no such magic", "%no_such_magic", "err:UsageError: Line magic function…"},
	{"display", "display(1, 2)", "display:1|display:2"},
	{"display id", "h = display(1, display_id='i'); h.update(2)", "display:1|update i:2"},
	{"imported display", "from IPython.display import display, clear_output, HTML\nprint(1); clear_output(wait=True); display(HTML('<b>x</b>'))", "out:1\n|clear:true|display:<IPython.core.display.HTML object>"},
	{"raw", "display({'text/plain': 'p'}, raw=True)", "display:p"},
	{"await", "import asyncio\nawait asyncio.sleep(0.01)\n42", "result:42"},
	{"task", "async def later():\n    await asyncio.sleep(0.05)\n    print('late task')\nt = asyncio.create_task(later())", ""},
	{"task awaited", "await t\nprint('joined')", "out:late task\njoined\n"},
	{"await error", "await nothing()", "error:NameError:name 'nothing' is not defined"},
	{"next input", "get_ipython().set_next_input('z = 3')", "payload:set_next_input"},
	{"capture", "%%capture c\nprint('hidden'); display(3)", ""},
	{"captured", "c.stdout", "result:'hidden\\n'"},
	{"subprocess", "import os; print('1'); os.system('echo 2'); print('3')", "out:1\n2\n3\n"},
	{"automagic", "pwd", "result:…"},
	{"alive", "1", "result:1"},
	{"exit", "exit", "payload:ask_exit"},
}

func TestIPythonCells(t *testing.T) {
	k := openIPython(t)
	for i, s := range cellsOfIPython {
		out, events := k.run(t, s.code)
		got := words(events)
		start, open := strings.CutSuffix(s.want, "…")
		if got != s.want && (!open || !strings.HasPrefix(got, start)) {
			t.Errorf("%s: %s\ngot  %q %+v\nwant %q", s.name, s.code, got, out, s.want)
		}
		if failed := strings.Contains(got, "error:"); failed != (out.Reason == event.Failed) || out.Count != i+1 {
			t.Errorf("%s: ended %+v", s.name, out)
		}
	}
	k.wait(t, dead("(exit)"))
}

// A traceback shows the line of the cell, in colours.
func TestIPythonTraceback(t *testing.T) {
	k := openIPython(t)
	_, events := k.run(t, "def f():\n    return 1/0\nf()")
	for _, e := range events {
		if b, ok := e.(event.Error); ok {
			text := strings.Join(b.Traceback, "\n")
			if !strings.Contains(text, "\x1b[") || !strings.Contains(text, "Cell") || strings.Contains(text, "nbterm kernel") {
				t.Errorf("%q", b.Traceback)
			}
			return
		}
	}
	t.Errorf("no error in %q", words(events))
}

func TestIPythonInterrupt(t *testing.T) {
	k := openIPython(t)
	for _, code := range []string{"print('on', flush=True)\nwhile True: pass", "import asyncio\nprint('on', flush=True)\nawait asyncio.sleep(60)", "print('on', flush=True)\n!sleep 60"} {
		id, ended := k.begin(t, code)
		k.wait(t, printed(id, "on"))
		if err := k.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		out := <-ended
		if strings.Contains(code, "!") {
			continue // IPython takes the end of the program for the cell's own
		}
		if out.Reason != event.Interrupted {
			t.Errorf("%s: %+v %q", code, out, words(k.of(id)))
		}
	}
	if out, events := k.run(t, "'alive'"); out.Reason != event.Done || words(events) != "result:'alive'" {
		t.Errorf("%+v %q", out, words(events))
	}
}

func TestIPythonAsks(t *testing.T) {
	k := openIPython(t)
	id, ended := k.begin(t, "name = input('who? ')\nname")
	q := k.question(t, id)
	if err := k.Answer(t.Context(), q.ID, "Ann"); err != nil {
		t.Fatal(err)
	}
	if out := <-ended; out.Reason != event.Done || words(k.of(id)) != "result:'Ann'" {
		t.Errorf("%+v %q", out, words(k.of(id)))
	}
	asker := k.Driver.(kernelclient.Asker)
	c, err := asker.Complete(t.Context(), "%timei", 6)
	if err != nil || len(c.Matches) == 0 || !strings.Contains(c.Matches[0].Text, "timeit") {
		t.Errorf("%+v %v", c, err)
	}
	i, err := asker.Inspect(t.Context(), "len(", 4, 0)
	if text, _ := i.Data.Plain(); err != nil || !i.Found || !strings.Contains(text, "number of items") {
		t.Errorf("%+v %v", i, err)
	}
	whole, err := asker.IsComplete(t.Context(), "%%bash\necho")
	if err != nil || whole.Status == kernelclient.CodeInvalid {
		t.Errorf("%+v %v", whole, err)
	}
}

func TestIPythonFigure(t *testing.T) {
	k := openIPython(t)
	if out, _ := k.run(t, "import matplotlib, matplotlib_inline"); out.Reason != event.Done {
		t.Skip("no matplotlib")
	}
	for _, code := range []string{
		"import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
		"%matplotlib inline\nplt.plot([2, 1]);",
	} {
		_, events := k.run(t, code)
		if got := words(events); got != "display:<Figure size 640x480 with 1 Axes>" {
			t.Errorf("%s: %q", code, got)
		}
		for _, e := range events {
			if b, ok := e.(event.Display); ok && len(b.Data.Get("image/png")) < 100 {
				t.Errorf("%s: %v", code, b.Data)
			}
		}
	}
}

// A Python without IPython says so.
func TestIPythonMissing(t *testing.T) {
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "").Run() != nil || exec.Command(python, "-c", "import traitlets").Run() == nil {
		t.Skip("no Python without IPython")
	}
	d := jupyter.NewDriver(NewPythonLauncher(PythonOptions{Python: python, IPython: true, LogDir: t.TempDir()}), jupyter.DriverOptions{})
	if _, err := d.Open(t.Context(), newSink()); err == nil || !strings.Contains(err.Error(), "No module named") {
		t.Errorf("got %v", err)
	}
	if err := d.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}
