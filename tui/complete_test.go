package tui_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// offers is a kernel that completes the word before the cursor from a list "text:type".
func offers(words ...string) func(context.Context, string, int) (kernelclient.Completion, error) {
	return func(_ context.Context, code string, cursor int) (kernelclient.Completion, error) {
		start := strings.LastIndexAny(code[:cursor], " .\n(") + 1
		c := kernelclient.Completion{Start: start, End: cursor}
		for _, w := range words {
			text, typ, _ := strings.Cut(w, ":")
			if strings.HasPrefix(text, code[start:cursor]) {
				c.Matches = append(c.Matches, kernelclient.Match{Text: text, Type: typ})
			}
		}
		return c, nil
	}
}

func TestCompletion(t *testing.T) {
	a := open(t, setup{
		file: file("x", "pri"), script: echo,
		asks: &hosttest.Fake{Completer: offers("print:function", "printer:instance", "private:module", "property:type", "evil\x1b[31m:x")},
	})
	a.Type("enter", "ctrl+j", "esc", "j", "enter", "ctrl+end", "tab")
	a.shows("print ", "function", "printer", "instance", "private", "module")
	a.hides("property", "31m")
	a.Type("n")
	a.hides("private")
	a.shows("printer")
	a.Type("ctrl+n", "enter")
	a.hides("instance")
	a.has("x", "printer")
	a.Type("ctrl+z")
	a.has("x", "prin")
	a.Type("backspace", "tab", "down", "v")
	a.hides("printer")
	a.shows("private")
	a.Type("tab")
	a.has("x", "private")
	a.Type(".", "tab")
	a.shows("property", "print ")
	a.Type("esc")
	a.hides("property")
	a.shows("EDIT")
	a.letters("pro")
	a.Type("tab") // the only one is taken at once
	a.has("x", "private.property")
	a.Type(" ", "tab")
	a.has("x", "private.property    ")
}

func TestCompletionIsDrawnAboveWhereThereIsNoRoomBelow(t *testing.T) {
	a := open(t, setup{
		file: file("x", strings.Repeat("line\n", 20)+"    pri"), script: echo, height: 16, width: 60,
		asks: &hosttest.Fake{Completer: offers("print:function", "printer:instance", "private:module")},
	})
	a.Type("enter", "ctrl+j", "esc", "j", "enter", "ctrl+end", "tab")
	screen := a.Text()
	if list, word := strings.Index(screen, "printer"), strings.LastIndex(screen, "pri\n"); list < 0 || word < list {
		t.Errorf("the list is not above the word:\n%s", screen)
	}
	a.Type("esc")
	a.hides("printer")
}

// While the kernel is busy Tab does not wait: the words of the notebook are offered.
func TestCompletionWhileTheKernelIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, setup{file: testdata(t, "B34.ipynb"), script: block, asks: &hosttest.Fake{Completer: offers("print")}})
		a.Keys("ctrl+j")
		a.WaitFor("[*]")
		start := time.Now()
		slowly := func(keys ...string) {
			for _, key := range keys {
				a.Keys(key)
				time.Sleep(50 * time.Millisecond)
			}
		}
		slowly("j", "enter", "ctrl+end", "tab")
		a.WaitFor("the kernel is busy")
		slowly("backspace", "backspace", "backspace", "t", "i", "tab")
		a.WaitFor("time\n") // the only word
		if waited := time.Since(start); waited > time.Second {
			t.Errorf("Tab waited: %v", waited)
		}
		a.Keys("ctrl+c")
		a.WaitFor("KeyboardInterrupt")
		a.WaitIdle()
		a.has("import time\ntime.sleep(20)", "time")
	})
}

// A question to a kernel that is starting waits for it, unless typing goes on.
func TestCompletionWaitsForTheKernelsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		a := open(t, setup{file: file("x", "pri", "pri"), script: echo, asks: &hosttest.Fake{Completer: offers("print:function", "private:module"), Hold: ready}})
		a.Keys("ctrl+j", "j", "enter", "end", "tab")
		a.WaitFor("asking the kernel…")
		a.Keys("v")
		a.WaitFor("priv\n")
		a.hides("asking")
		a.Keys("down", "end", "tab")
		a.WaitFor("asking the kernel…")
		close(ready)
		a.WaitFor("private")
		a.WaitIdle()
		a.shows("print ", "function")
		a.Type("esc")
		a.has("x", "priv", "pri")
	})
}

// A kernel's answer that comes after typing went on is dropped.
func TestLateCompletionIsDropped(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	a := open(t, setup{file: file("x", "pri"), script: echo, asks: &hosttest.Fake{
		Completer: func(ctx context.Context, code string, cursor int) (kernelclient.Completion, error) {
			asked <- struct{}{}
			select {
			case <-answer:
			case <-ctx.Done(): // the test failed
			}
			return offers("print", "private")(ctx, code, cursor)
		},
	}})
	a.Type("enter", "ctrl+j", "esc", "j", "enter", "ctrl+end")
	column, _, _ := a.Cursor()
	shows := func(text string) func(string) bool {
		return func(screen string) bool { return strings.Contains(screen, text) }
	}
	at := func(x int) func(string) bool {
		return func(string) bool { now, _, _ := a.Cursor(); return now == x }
	}
	type step struct {
		key  string
		seen func(screen string) bool // the answer may not come before the key was handled
	}
	for _, steps := range [][2]step{
		{{"n", shows("prin")}, {"backspace", func(screen string) bool { return !strings.Contains(screen, "prin") }}},
		{{"left", at(column - 1)}, {"right", at(column)}},
		{{"esc", func(screen string) bool { return !strings.Contains(screen, "asking") }}, {"esc", func(screen string) bool { return !strings.Contains(screen, "EDIT") }}},
	} {
		a.Keys("tab")
		<-asked
		a.WaitFor("asking the kernel…")
		for _, s := range steps {
			a.Keys(s.key)
			a.WaitScreen("what "+s.key+" does", s.seen)
		}
		answer <- struct{}{}
		a.WaitIdle()
		a.hides("private", "asking")
	}
	a.has("x", "pri")
}

// tells is a kernel that knows one name.
func tells(name, text string) func(context.Context, string, int) (kernelclient.Inspection, error) {
	return func(_ context.Context, code string, cursor int) (kernelclient.Inspection, error) {
		if !strings.HasSuffix(code[:cursor], name) {
			return kernelclient.Inspection{}, nil
		}
		return kernelclient.Inspection{Found: true, Data: bundle(text)}, nil
	}
}

func bundle(text string) mime.Bundle {
	return mime.Bundle{{Type: "text/html", Value: rawjson.Quote("<b>no</b>")}, {Type: "text/plain", Value: rawjson.Quote(text)}}
}

func TestInspection(t *testing.T) {
	var text strings.Builder
	text.WriteString("\x1b[31mSignature:\x1b[0m len(obj, /)\x1b]0;title\x07\n")
	for range 60 {
		text.WriteString("filler\n")
	}
	text.WriteString("the needle\nthe end\n")
	a := open(t, setup{file: file("    len", "other"), script: echo, asks: &hosttest.Fake{Inspector: tells("len", text.String())}})
	a.Type("enter", "ctrl+j", "ctrl+end", "shift+tab")
	a.shows("Signature: len(obj, /)", "q closes", "    len", "EDIT")
	a.hides("the end", "<b>")
	a.Type("G")
	a.shows("the end")
	a.Type("k", "pgup", "g")
	a.shows("Signature")
	a.Type("/")
	a.letters("NEEDLE")
	a.shows("the needle")
	a.Type("enter", "N")
	a.shows("the needle")
	a.Type("q")
	a.hides("q closes", "needle")
	a.letters("!")
	a.has("    len!", "other")
	a.Type("shift+tab") // behind no word: it outdents
	a.has("len!", "other")
	a.Type("x", "shift+tab")
	a.shows("knows nothing")
	a.Type("backspace", "backspace", "(", "shift+tab")
	a.shows("Signature")
	a.Type("esc", "ctrl+a", "shift+tab")
	a.hides("q closes")
}

// payload is a kernel whose runs ask the front end for something.
func payload(source, text string, replace bool) hosttest.Script {
	return func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		if r.Code != "plain" {
			data, _ := json.Marshal(map[string]any{
				"text": text, "replace": replace, "data": map[string]any{"text/plain": text}, "start": 0,
			})
			f.Sink().Emit(r.ID, event.Payload{Source: source, Data: data})
		}
		return kernelclient.Outcome{Reason: event.Done}
	}
}

func TestPageOfARun(t *testing.T) {
	a := open(t, setup{file: file("len?", "two"), script: payload("page", "\x1b[31mDocstring:\x1b[0m Return the number of items in a container.", false)})
	a.Type("shift+enter")
	a.shows("Return the number of items", "q closes", "2/2")
	a.Type("esc")
	a.hides("Return the number")
	a.Type("k", "enter", "ctrl+j")
	a.shows("Return the number")
	a.Type("q")
	a.shows("EDIT")
	a.Type("ctrl+s")
	if strings.Contains(a.saved(), "Return") {
		t.Error("the page went into the file")
	}
}

func TestNextInputOfARun(t *testing.T) {
	a := open(t, setup{file: file("%load", "plain", "z"), script: payload("set_next_input", "y = 2", true)})
	a.Type("enter", "ctrl+j")
	a.shows("y = 2", "EDIT")
	a.letters("!")
	a.Type("esc", "z")
	a.has("y = 2", "plain", "z")
	a.Type("z")
	a.has("%load", "plain", "z")

	a = open(t, setup{file: file("one", "plain", "z"), script: payload("set_next_input", "z = 3", false)})
	a.Type("j", "j", "k", "k", "shift+enter")
	a.shows("3/4", "z = 3")
	a.has("one", "z = 3", "plain", "z")
}
