package editor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/themes"
)

var pieces = []string{
	"a", "b c", " ", "\n", "\t", "(", ")", "[", "]", "{", "}", "\"", "'", "#", ":", "%", "\\",
	"e\u0301", "\u0301", "漢", "👨‍👩‍👧", "👨", "\u200d", "🇩", "\ufe0f", "\u200b", "\u202e", "\x1b", "\xff", "\r\n", "\r",
	"if x:", "return", "'''", "\"\"\"", "%%html\n", "/*", "*/", "\u0600", "ｶ", "\uff9e", "각", "ᄀ", "क्ष",
}

// model is an editor and what its changes say that its text must be.
type model struct {
	t    *testing.T
	e    *Editor
	text string
}

// step does what two bytes say.
func (m *model) step(op, arg byte) {
	e := m.e
	piece := pieces[int(arg)%len(pieces)]
	extend := arg%2 == 1
	edits := []func() Edit{
		func() Edit { return e.Insert(piece) },
		func() Edit { return e.Insert(piece) },
		func() Edit { return e.Put(Pasting, "", piece) },
		func() Edit { return e.Paste(strings.Repeat(piece, 1+int(arg)%3)) },
		e.Newline, e.Backspace, e.Backspace, e.Delete, e.DeleteWordBack, e.DeleteWordForward, e.DeleteToStart, e.DeleteToEnd,
		func() Edit { _, ed := e.Cut(); return ed },
		e.Indent, e.Outdent, e.ToggleComment, e.DuplicateLines,
		func() Edit { return e.MoveLines(extend) },
		func() Edit {
			return e.Replace(Pos{int(arg) % 5, int(arg) % 7}, Pos{int(arg) % 3, int(arg) % 11}, piece, "")
		},
	}
	moves := []func(){
		func() { e.Left(extend) }, func() { e.Right(extend) }, func() { e.Up(extend) }, func() { e.Down(extend) },
		func() { e.WordLeft(extend) }, func() { e.WordRight(extend) }, func() { e.Home(extend) }, func() { e.End(extend) },
		func() { e.PageUp(2, extend) }, func() { e.PageDown(2, extend) }, func() { e.DocStart(extend) }, func() { e.DocEnd(extend) },
		e.SelectAll, e.ClearSelection,
		func() { e.Click(int(arg)%16, int(arg)/16, extend) },
		func() { e.SelectWordAt(int(arg)%16, int(arg)/16) },
		func() { e.SelectLineAt(int(arg) % 8) },
		func() { e.SetCursor(Pos{int(arg) % 6, int(arg) % 13}) },
		func() { e.Enter(extend, int(arg)%9) },
		func() {
			e.SetView(View{Wrap: arg%2 == 0, Numbers: arg%3 == 0, Focused: arg%5 == 0, Palette: NewPalette(themes.Dark())})
		},
		func() { e.SetText(m.text[:len(m.text)*int(arg)/255] + piece); m.text = e.Text() },
		func() { e.Restore(piece + m.text[len(m.text)*int(arg)/255:]); m.text = e.Text() },
	}
	if int(op) < 128 {
		ed := edits[int(op)%len(edits)]()
		check(m.t, e, m.text, ed)
		m.text = e.Text()
	} else {
		moves[int(op)%len(moves)]()
		check(m.t, e, m.text, Edit{})
	}
}

// FuzzEditor does random operations beside a plain string.
func FuzzEditor(f *testing.F) {
	f.Add("def f(a):\n    return [1]\n", []byte("\x00\x05\x04\x00\x00\x21\x80\x01\x0f\x00\x11\x01"))
	f.Add("漢字\te\u0301\n👨‍👩‍👧", []byte("\x82\x01\x05\x00\x80\x00\x01\x12\x07\x00\x93\x00\x83\x01\x0d\x02"))
	f.Add("", []byte("\x00\x05\x00\x07\x00\x0b\x05\x00\x00\x0b\x00\x0b\x04\x00\x0c\x00"))
	f.Fuzz(func(t *testing.T, text string, ops []byte) {
		if len(text) > 2000 || len(ops) > 400 {
			return
		}
		m := &model{t: t, e: New(text, Options{Language: "python"})}
		m.text = m.e.Text()
		m.e.SetView(View{Wrap: true, Palette: NewPalette(themes.Dark()), Focused: true})
		for i := 0; i+1 < len(ops); i += 2 {
			m.step(ops[i], ops[i+1])
			width := 1 + int(ops[i])%40
			m.drawn(width)
		}
	})
}

// drawn compares the drawing with that of a fresh editor.
func (m *model) drawn(width int) {
	e := m.e
	h := e.Height(width)
	_, y := e.CursorXY(width)
	if y < 0 || y >= h {
		m.t.Fatalf("the cursor is on row %d of %d", y, h)
	}
	got := e.Lines(width, 0, h+1)
	fresh := New(m.text, e.opt)
	fresh.SetView(e.view.View)
	fresh.Height(width)
	fresh.view.left = e.view.left
	fresh.cursor, fresh.anchor = e.cursor, e.anchor
	want := fresh.Lines(width, 0, h+1)
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != h {
		m.t.Fatalf("%q at %d, height %d:\ngot  %q\nwant %q", m.text, width, h, got, want)
	}
}

// TestRandomOperations walks farther than fuzzing from the seeds does.
func TestRandomOperations(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		language := []string{"python", "javascript", "html", ""}[seed%4]
		m := &model{t: t, e: New(pieces[r.IntN(len(pieces))], Options{Language: language})}
		m.text = m.e.Text()
		for step := range 200 {
			op, arg := byte(r.IntN(256)), byte(r.IntN(256))
			m.step(op, arg)
			if len(m.text) > 2000 {
				m.e.SelectAll()
				m.step(5, 0)
			}
			if step%4 == 0 {
				m.drawn(1 + r.IntN(40))
			}
		}
	}
}
