//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
)

// snippets are cells and what they give, in order, on one kernel; a want that ends in … is
// the beginning.
var snippets = []struct{ name, code, want string }{
	{"print", "print('one'); print('two')", "out:one\ntwo\n"},
	{"result", "6*7", "result:42"},
	{"last", "_", "result:42"},
	{"Out", "Out[2], len(In)", "result:(42, 5)"},
	{"nothing", "None", ""},
	{"assignment", "x = 41", ""},
	{"state", "x + 1", "result:42"},
	{"quiet", "x + 1;", ""},
	{"quiet with comment", "x + 1;  # why; so", ""},
	{"not quiet", "x + 1  # why;", "result:42"},
	{"string with semicolon", "';'", "result:';'"},
	{"streams in order", "import sys\nprint('a'); print('b', file=sys.stderr); print('c')", "out:a\n|err:b\n|out:c\n"},
	{"logging", "import logging\nlogging.basicConfig()\nlogging.warning('d')", "err:WARNING:root:d\n"},
	{"error", "print('before')\n1/0", "out:before\n|error:ZeroDivisionError:division by zero"},
	{"syntax", "def f(:", "error:SyntaxError:…"},
	{"system exit", "import sys; sys.exit(3)", "error:SystemExit:3"},
	{"lone surrogate", "print('half' + chr(0xd83d)); print('whole')", "out:half\xed\xa0\xbd\nwhole\n"},
	{"surrogate result", "chr(0xd83d)", `result:'\ud83d'`},
	{"bytes", "sys.stdout.buffer.write('é'.encode()[:1]); sys.stdout.buffer.write('é'.encode()[1:]);", "out:é"},
	{"os.write", "import os\nprint('1'); os.write(1, b'2\\n'); print('3'); os.write(2, b'4\\n'); print('5')", "out:1\n2\n3\n|err:4\n|out:5\n"},
	{"system", "print('1'); os.system('echo 2; echo 3'); print('4')", "out:1\n2\n3\n4\n"},
	{"subprocess", "import subprocess\nprint('1'); subprocess.run(['sh', '-c', 'echo 2']); print('3'); subprocess.run('echo 4 >&2', shell=True); print('5');", "out:1\n2\n3\n|err:4\n|out:5\n"},
	{"captured", "subprocess.run(['echo', 'x'], stdout=subprocess.PIPE).stdout", "result:b'x\\n'"},
	{"dunder", "sys.__stderr__.write('e\\n'); sys.__stdout__.write('o\\n');", "err:e\n|out:o\n"},
	{"shell", "!echo hello", "out:hello\n"},
	{"magic", "%timeit 1", "error:UsageError:%timeit is IPython's…"},
	{"cell magic", "%%bash\necho", "error:UsageError:%%bash is IPython's…"},
	{"matplotlib magic", "%matplotlib inline\n1", "result:1"},
	{"modulo", "a = (7\n%4)\na", "result:3"},
	{"await", "import asyncio\nawait asyncio.sleep(0, 'slept')", "result:'slept'"},
	{"async for", "async def g():\n    yield 1\n[i async for i in g()]", "result:[1]"},
	{"task", "async def late():\n    await asyncio.sleep(0.01); return 5\nt = asyncio.create_task(late())", ""},
	{"task awaited", "await t", "result:5"},
	{"asyncio.run", "async def main():\n    return 3\nasyncio.run(main())", "result:3"},
	{"await again", "await main()", "result:3"},
	{"await error", "await nothing()", "error:NameError:name 'nothing' is not defined"},
	{"display", "display('x'); display(1, 2)", "display:'x'|display:1|display:2"},
	{"updates", "h = display(1, display_id='i'); h.update(2); update_display(3, display_id='i')", "display:1|update i:2|update i:3"},
	{"clear", "print(1); clear_output(wait=True); print(2)", "out:1\n|clear:true|out:2\n"},
	{"order of displays", "print(1); display(2); print(3)", "out:1\n|display:2|out:3\n"},
	{"future", "from __future__ import annotations\ndef f(a: missing): pass", ""},
	{"future lasts", "def g(a: missing): pass", ""},
	{"long list", "list(range(40))", "result:[0,\n 1,\n…"},
	{"huge list", "len(repr(list(range(10**6)))); list(range(10**6))", "result:[0,\n 1,\n…"},
	{"bad repr", "class B:\n    def __repr__(self): raise ValueError('no')\nB()", "error:ValueError:no"},
	{"alive", "1", "result:1"},
	{"indented", "  y = 3\n  y", "result:3"},
	{"main", "__name__, sys.argv", "result:('__main__', [''])"},
	{"pickle", "import pickle\nclass P: pass\ntype(pickle.loads(pickle.dumps(P()))) is P", "result:True"},
	{"fork", "pid = os.fork()\nif pid == 0:\n    print('child')\n    sys.exit(4)\nprint('code', os.waitpid(pid, 0)[1] >> 8)", "out:child\ncode 4\n"},
	{"after fork", "2", "result:2"},
	{"multiprocessing", "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as p: r = p.map(abs, [-1, -2])\nr", "result:[1, 2]"},
	{"thread", "import threading\nt = threading.Thread(target=lambda: print('in thread')); t.start(); t.join()", "out:in thread\n"},
	{"replaced stdout", "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as s: print('x')\ns.getvalue()", "result:'x\\n'"},
	{"null stdin", "sys.stdin.read()", "result:''"},
	{"exec after handler", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN);", ""},
	{"recursion", "def r(): r()\nr()", "error:RecursionError:…"},
	{"exception without text", "class E(Exception):\n    def __str__(self): return 1/0\nraise E", "error:E:…"},
	{"warning", "import warnings; warnings.simplefilter('default'); warnings.warn('w')", "err:<Cell In[…"},
	{"keyboard interrupt", "raise KeyboardInterrupt", "error:KeyboardInterrupt:"},
	{"closed descriptors", "[os.fstat(fd) and fd for fd in range(3)]", "result:[0, 1, 2]"},
	{"exit", "exit()", "payload:ask_exit"},
}

func TestSnippets(t *testing.T) {
	for _, python := range allPythons(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) { testSnippets(t, python) })
	}
}

func testSnippets(t *testing.T, python string) {
	k := open(t, PythonOptions{Python: strictPython(t, python)})
	for _, s := range snippets {
		out, events := k.run(t, s.code)
		got := words(events)
		start, open := strings.CutSuffix(s.want, "…")
		if got != s.want && (!open || !strings.HasPrefix(got, start)) {
			t.Errorf("%s: %s\ngot  %q %+v\nwant %q", s.name, s.code, got, out, s.want)
		}
		if failed := strings.Contains(s.want, "error:"); failed != (out.Reason == event.Failed) || !failed && out.Reason != event.Done {
			t.Errorf("%s: %s\nended %+v", s.name, s.code, out)
		}
	}
	k.wait(t, func(e event.Event) bool {
		s, ok := e.Body.(event.State)
		return ok && s.State == event.Dead && strings.Contains(s.Detail, "(exit)")
	})
}

// The second start takes the compiled kernel from the cache; one that is broken is made anew.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	for _, breakIt := range []bool{false, false, true} {
		if breakIt {
			files, err := filepath.Glob(filepath.Join(dir, "builtin-python-*"))
			if err != nil || len(files) != 1 {
				t.Fatalf("the cache holds %v, %v", files, err)
			}
			if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info.Mode(), err)
			}
			if err := os.WriteFile(files[0], []byte("broken"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		k := open(t, PythonOptions{CacheDir: dir})
		if out, _ := k.run(t, "1+1"); out.Reason != event.Done {
			t.Errorf("got %+v", out)
		}
	}
}
