package editor

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// keyed is one key and how long after the one before it came.
type keyed struct {
	after time.Duration
	do    func(e *Editor) Edit
}

func typed(after time.Duration, text string) (keys []keyed) {
	for _, r := range text {
		keys = append(keys, keyed{after, func(e *Editor) Edit { return e.Insert(string(r)) }})
	}
	return keys
}

// steps returns what each undo step would take back to.
func steps(e *Editor, keys []keyed) string {
	var g Grouper
	now := time.Unix(1000, 0)
	group := "none"
	var texts []string
	for _, k := range keys {
		now = now.Add(k.after)
		before := e.Text()
		ed := k.do(e)
		if len(ed.Changes) == 0 {
			continue
		}
		name := g.Group(ed, now)
		if name == "" || name != group {
			texts = append(texts, before)
		}
		group = name
	}
	return strings.Join(append(texts, e.Text()), "|")
}

func TestGroups(t *testing.T) {
	fast := 50 * time.Millisecond
	back := keyed{fast, (*Editor).Backspace}
	move := keyed{fast, func(e *Editor) Edit { e.Left(false); return Edit{} }}
	paste := keyed{fast, func(e *Editor) Edit { return e.Paste("PQ RS") }}
	dup := keyed{fast, (*Editor).DuplicateLines}
	for _, c := range []struct {
		name string
		keys []keyed
		want string
	}{
		{"words", typed(fast, "ab  cd e"), "|ab  |ab  cd |ab  cd e"},
		{"pair", typed(fast, "f(ab)"), "|f(ab)"},
		{"newline", typed(fast, "a\nb"), "|a|a\nb"},
		{"pause", append(typed(fast, "ab"), typed(1100*time.Millisecond, "cd")...), "|ab|abc|abcd"},
		{"erase", append(typed(fast, "ab"), back, back), "|ab|"},
		{"jump", append(append(typed(fast, "ab"), move), typed(fast, "c")...), "|ab|acb"},
		{"paste", append(append(typed(fast, "ab"), paste), typed(fast, "c")...), "|ab|abPQ RS|abPQ RSc"},
		{"lines", append(typed(fast, "ab"), dup, dup), "|ab|ab\nab|ab\nab\nab"},
	} {
		if got := steps(New("", Options{}), c.keys); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// feed gives keys to an editor as a program does that knows of bursts.
func feed(e *Editor, keys string, gap time.Duration) []keyed {
	var b Burst
	var m Mark
	at := time.Unix(0, 0)
	var out []keyed
	for _, r := range keys {
		text := string(r)
		if r == '\r' {
			text = "\n"
		}
		out = append(out, keyed{gap, func(e *Editor) Edit {
			at = at.Add(gap)
			role, run := b.Key(at, text)
			switch role {
			case First:
				m = e.Mark()
			case Turn:
				return e.Literal(m, run)
			case Paste:
				return e.Put(Pasting, "Paste", run)
			}
			return e.Insert(text)
		}})
	}
	return out
}

// TestUnbracketedPaste: a paste that arrives as keys must not climb like a staircase.
func TestUnbracketedPaste(t *testing.T) {
	data, err := os.ReadFile("testdata/staircase.keys")
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{"|", "x = |", "if a:\n    |", "    |    ", "f(|)", "a^b|c"} {
		for _, keys := range []string{string(data), "\r\r    a", "{\r  1\r}", "]\r]\r", "a", "\"\"\"\r  it's\r\"\"\"\r", "((("} {
			e := open(t, start, "python")
			want := strings.Replace(strings.ReplaceAll(start, "^b", ""), "|", newlines(keys)+"|", 1)
			if len(keys) < burstKeys {
				continue
			}
			got := steps(e, feed(e, keys, 200*time.Microsecond))
			check(t, e, e.Text(), Edit{})
			if shown(e) != want {
				t.Errorf("%q and %q:\ngot  %q\nwant %q", start, keys, shown(e), want)
			}
			if n := strings.Count(got, "|"); n > 1 && !strings.Contains(start, "^") {
				t.Errorf("%q and %q: %d steps: %q", start, keys, n, got)
			}
		}
	}
}

func TestTypingIsNoBurst(t *testing.T) {
	e := New("", Options{Language: "python"})
	steps(e, feed(e, "if a:\rf(x)\r", 30*time.Millisecond))
	if e.Text() != "if a:\n    f(x)\n    " {
		t.Errorf("%q", e.Text())
	}
	var b Burst
	at := time.Unix(0, 0)
	b.Key(at, "a")
	if b.Quick(at.Add(11*time.Millisecond)) || !b.Quick(at.Add(time.Millisecond)) {
		t.Error("Quick")
	}
	b.End()
	if b.Quick(at.Add(time.Millisecond)) {
		t.Error("Quick after End")
	}
}

// A paste may falter: the machine is busy, or the line slow. A key that could mean something
// else is taken for text only right behind.
func TestBurstFalters(t *testing.T) {
	var b Burst
	at := time.Unix(0, 0)
	for _, key := range []string{"a", "b", "c", "d"} {
		b.Key(at, key)
	}
	at = at.Add(140 * time.Millisecond)
	if role, _ := b.Key(at, "e"); role != Paste {
		t.Errorf("a text key has the role %d", role)
	}
	if at = at.Add(50 * time.Millisecond); b.Quick(at) || !b.Continues(at) {
		t.Error("50 ms later")
	}
	if role, _ := b.Key(at.Add(200*time.Millisecond), "f"); role != First {
		t.Errorf("a late key has the role %d", role)
	}
}

// TestPaste: what is pasted in brackets arrives byte for byte, as one step.
func TestPaste(t *testing.T) {
	keys, err := os.ReadFile("testdata/paste.keys")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/paste.expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(strings.TrimPrefix(string(keys), "\x1b[200~"), "\x1b[201~")
	e := New("", Options{Language: "python"})
	ed := e.Paste(text)
	if e.Text() != string(want) || len(ed.Changes) != 1 || ed.Kind != Single {
		t.Errorf("%q, %+v", e.Text(), ed)
	}
	if !bytes.Contains(want, []byte("\t")) {
		t.Error("the paste has no tab")
	}
	check(t, e, "", ed)
	e = open(t, "    x(|)", "python")
	check(t, e, e.Text(), e.Paste("a:\r\n\tb\rc"))
	if shown(e) != "    x(a:\n\tb\nc|)" {
		t.Errorf("%q", shown(e))
	}
}
