//go:build unix

package builtin

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// bundles returns the mime bundles of a run's results and displays, as JSON objects.
func bundles(events []event.Body) []string {
	var out []string
	for _, e := range events {
		var members []string
		add := func(b mime.Bundle) {
			for _, entry := range b {
				members = append(members, entry.Type+"="+string(entry.Value))
			}
			slices.Sort(members)
			out = append(out, strings.Join(members, " "))
		}
		switch b := e.(type) {
		case event.Result:
			add(b.Data)
		case event.Display:
			add(b.Data)
		case event.Update:
			add(b.Data)
		}
	}
	return out
}

func TestBundles(t *testing.T) {
	k := open(t, PythonOptions{})
	for _, test := range []struct{ code, want string }{
		{
			"class A:\n  def _repr_html_(self): return '<b>é</b>'\n  def _repr_markdown_(self): return None\n  def _repr_png_(self): return b'\\x89PNG'\n  def __repr__(self): return 'a'\nA()",
			`image/png="iVBORw==" text/html="<b>\u00e9</b>" text/plain="a"`,
		},
		{
			"class B:\n  def _repr_mimebundle_(self, include=None, exclude=None): return {'text/html': 'h', 'application/json': {'n': [1]}}, {'text/html': {'isolated': True}}\n  def __repr__(self): return 'b'\nB()",
			`application/json={"n": [1]} text/html="h" text/plain="b"`,
		},
		{
			"class C:\n  def _repr_html_(self): return 1/0\n  def _repr_latex_(self): return '$x$'\n  def __repr__(self): return 'c'\nC()",
			`text/latex="$x$" text/plain="c"`,
		},
		{"A", `text/plain="<class '__main__.A'>"`},
		{"import unittest.mock; m = unittest.mock.MagicMock(__repr__=lambda s: 'mock'); m", `text/plain="mock"`},
		{"display({'text/plain': 'p', 'application/json': [1]}, raw=True)", `application/json=[1] text/plain="p"`},
	} {
		_, events := k.run(t, test.code)
		if got := strings.Join(bundles(events), "\n"); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.code, got, test.want)
		}
	}
	_, events := k.run(t, "C()")
	if got := words(events); !strings.Contains(got, "_repr_html_ failed") || !strings.Contains(got, "1/0") {
		t.Error(got)
	}
}

// The display functions are imported as notebooks import them, with and without IPython.
func TestIPythonDisplay(t *testing.T) {
	for _, python := range allPythons(t) {
		k := open(t, PythonOptions{Python: python})
		_, events := k.run(t, `from IPython.display import display, HTML, Markdown, Image, clear_output, update_display
display(HTML('<i>x</i>'), display_id='d')
update_display(Markdown('*y*'), display_id='d')
clear_output()
display(Image(data=b'\x89PNG\r\n\x1a\n' + b'\0' * 16 + bytes(8)))
HTML('z')`)
		got := strings.Join(bundles(events), "\n")
		for _, part := range []string{`text/html="<i>x</i>"`, `text/markdown="*y*"`, `image/png="iVBORw0K`, `text/html="z"`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %s, %s", python, part, got, words(events))
			}
		}
		if !strings.Contains(words(events), "|update d:") || !strings.Contains(words(events), "|clear:false|") {
			t.Errorf("%s: %s", python, words(events))
		}
	}
}

func TestMatplotlib(t *testing.T) {
	python := testPython(t)
	if exec.Command(python, "-c", "import matplotlib").Run() != nil {
		t.Skip("no matplotlib")
	}
	k := open(t, PythonOptions{Python: python})
	out, events := k.run(t, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);\nprint('before')")
	got := bundles(events)
	if len(got) != 1 || !strings.HasPrefix(got[0], `image/png="iVBORw0K`) || !strings.Contains(got[0], "<Figure size") {
		t.Errorf("%+v %.200s %s", out, got, words(events))
	}
	_, events = k.run(t, "fig, ax = plt.subplots(); plt.show(); print('after')")
	if w := words(events); !strings.HasPrefix(w, "display:<Figure") || !strings.HasSuffix(w, "|out:after\n") {
		t.Error(w)
	}
}

func TestTraceback(t *testing.T) {
	k := open(t, PythonOptions{})
	for _, test := range []struct {
		code string
		want []string
	}{
		{"def f(x):\n    return 1 / x\n\nf(0)", []string{"Cell In[1]", "line 4", "f(0)", "line 2", "return 1 / x", "ZeroDivisionError"}},
		{"f(0)", []string{"Cell In[1]", "Cell In[2]", "return 1 / x"}},
		{"def g(:", []string{"Cell In[3]", "line 1", "def g(:", "SyntaxError"}},
		{"try: f(0)\nexcept Exception as e: raise ValueError('v') from e", []string{"ZeroDivisionError", "direct cause", "ValueError"}},
		{"import asyncio\nasync def h():\n    await asyncio.sleep(0)\n    f(0)\nawait h()", []string{"await h()", "f(0)"}},
		{"import traceback\ntry: f(0)\nexcept Exception: t = traceback.format_exc()\nraise Exception(t)", []string{"return 1 / x"}},
		{"import json; json.loads('{')", []string{"json.loads('{')", "decoder.py", "JSONDecodeError"}},
	} {
		_, events := k.run(t, test.code)
		e, ok := events[len(events)-1].(event.Error)
		text := strings.Join(e.Traceback, "\n")
		for _, part := range test.want {
			if !ok || !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", test.code, part, text)
			}
		}
		if strings.Contains(text, "nbterm kernel") || strings.Contains(text, "base_events") {
			t.Errorf("%s shows the kernel:\n%s", test.code, text)
		}
	}
}

// conversation is a kernel without a driver, for requests that no driver sends yet.
type conversation struct {
	t testing.TB
	c jupyter.Conn
	n int
}

func converse(t *testing.T) *conversation {
	t.Helper()
	k, err := NewPythonLauncher(PythonOptions{Python: testPython(t), LogDir: t.TempDir()}).Launch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		past, cancel := context.WithCancel(context.Background())
		cancel()
		if err := k.Stop(past); err != nil {
			t.Error(err)
		}
	})
	return &conversation{t: t, c: k.Conn()}
}

// ask sends a request and returns its reply's content.
func (c *conversation) ask(channel jupyter.Channel, typ, content string) rawjson.Value {
	c.t.Helper()
	c.n++
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	id := string(rune('a' + c.n))
	h := jupyter.Header{ID: id, Type: typ + "_request", Session: "s"}
	if err := c.c.Send(ctx, jupyter.Message{Channel: channel, Header: h, Content: rawjson.Value(content)}); err != nil {
		c.t.Fatal(err)
	}
	for {
		m, err := c.c.Recv()
		if err != nil {
			c.t.Fatal(typ, err)
		}
		if m.Header.Type == typ+"_reply" && m.Parent.ID == id {
			return m.Content
		}
	}
}

func TestQuestions(t *testing.T) {
	c := converse(t)
	code := "class Box:\n    '''A box.'''\n    alpha = 1\n    @property\n    def trap(self): raise SystemExit\n    def open(self, lid): 'Open it.'\n" +
		"box = Box(); variable_é = 1"
	c.ask(jupyter.Shell, "execute", `{"code":`+string(rawjson.Quote(code))+`}`)
	for _, test := range []struct{ typ, content, want string }{
		{"complete", `{"code":"variab","cursor_pos":6}`, `["variable_\u00e9"] 0 6`},
		{"complete", `{"code":"x = box.al","cursor_pos":10}`, `["alpha"] 8 10`},
		{"complete", `{"code":"'🎈'; box.op","cursor_pos":11}`, `["open"] 9 11`},
		{"complete", `{"code":"box.trap.re","cursor_pos":11}`, `[] 9 11`},
		{"complete", `{"code":"no.such","cursor_pos":7}`, `[] 3 7`},
		{"inspect", `{"code":"box.open(","cursor_pos":9}`, "Signature: box.open(lid)"},
		{"inspect", `{"code":"box.trap","cursor_pos":3}`, "Type:      Box"},
		{"inspect", `{"code":"box.trap","cursor_pos":8}`, "Type:      property"},
		{"inspect", `{"code":"Box.open","cursor_pos":6,"detail_level":1}`, "def open(self, lid): 'Open it.'"},
		{"inspect", `{"code":"nothing","cursor_pos":1}`, ""},
		{"is_complete", `{"code":"1 + 1"}`, `{"status": "complete"}`},
		{"is_complete", `{"code":"for i in x:"}`, `{"status": "incomplete", "indent": "    "}`},
		{"is_complete", `{"code":"def f(:"}`, `{"status": "invalid"}`},
		{"history", `{"hist_access_type":"tail","n":1}`, "class Box"},
		{"comm_info", `{}`, `{"status": "ok", "comms": {}}`},
	} {
		got := c.ask(jupyter.Shell, test.typ, test.content)
		text := string(got)
		switch test.typ {
		case "complete":
			text = string(got.Get("matches")) + " " + string(got.Get("cursor_start")) + " " + string(got.Get("cursor_end"))
		case "inspect":
			text = got.Get("data").Get("text/plain").Str()
		}
		if !strings.Contains(text, test.want) || test.want == "" && text != "" {
			t.Errorf("%s %s\ngot  %s\nwant %s", test.typ, test.content, text, test.want)
		}
	}
	if got := c.ask(jupyter.Control, "kernel_info", `{}`).Get("language_info").Get("name").Str(); got != "python" {
		t.Error(got)
	}
	if got := c.ask(jupyter.Shell, "execute", `{"code":"","user_expressions":{"n":"6*7","bad":"1/0"}}`).Get("user_expressions"); got.Get("n").Get("data").Get("text/plain").Str() != "42" || got.Get("bad").Get("status").Str() != "error" {
		t.Errorf("%s", got)
	}
}

// Code sees the notebook's folder, its environment and nothing of ours.
func TestSurroundings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/beside.py", []byte("here = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := open(t, PythonOptions{Dir: dir, Env: append(os.Environ(), "NBTERM_T=v"), Session: "/n/b.ipynb"})
	for _, test := range []struct{ code, want string }{
		{"import beside; beside.here", "result:1"},
		{"import os, sys\nos.environ['NBTERM_T'], os.environ['JPY_SESSION_NAME']", "result:('v', '/n/b.ipynb')"},
		{"[n for n in dir() if not n.startswith('_')]", "result:['In', 'Out', 'beside', 'exit', 'os', 'quit', 'sys']"},
		{"os.getpgid(0) == os.getpid() == os.getsid(0)", "result:True"},
		{"import subprocess; fds = subprocess.run(['sh', '-c', 'ls /proc/$$/fd'], stdout=subprocess.PIPE, close_fds=False).stdout.split()\n" +
			"[fd for fd in map(int, fds) if 180 < fd < 200]", "result:[]"}, // the protocol's
		{"'IPython' in sys.modules, 'asyncio' in sys.modules", "result:(False, False)"},
	} {
		if _, events := k.run(t, test.code); words(events) != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.code, words(events), test.want)
		}
	}
}
