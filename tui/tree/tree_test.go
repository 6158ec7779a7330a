package tree

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/themes"
)

// names makes entries of a text: "dir/" is a folder, "a>b" a link.
func names(text string) []Entry {
	var out []Entry
	for name := range strings.FieldsSeq(text) {
		e := Entry{Name: name}
		if dir, is := strings.CutSuffix(name, "/"); is {
			e.Name, e.Kind = dir, Folder
		}
		if link, target, is := strings.Cut(e.Name, ">"); is {
			e.Name, e.Target, e.Flags = link, target, Link
		}
		out = append(out, e)
	}
	Sort(out, ByName)
	return out
}

func of(height int, text string) *Tree {
	t := New("/r")
	t.SetHeight(height)
	t.Set("/r", Listing{Entries: names(text)})
	return t
}

func (t *Tree) plain(width int) string {
	var b strings.Builder
	for _, l := range t.Lines(width, Look{Theme: themes.Dark(), Icons: ASCII(), Focused: true, Now: time.Unix(1e9, 0).UTC()}) {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (t *Tree) is(tb testing.TB, want string) {
	tb.Helper()
	if got := t.plain(30); got != strings.Trim(want, "\n") {
		tb.Errorf("the tree is\n%s\nnot\n%s", got, want)
	}
}

func TestExpandAndCollapse(t *testing.T) {
	tr := of(8, "b.txt A.ipynb z/ .git/ a/ .dot")
	tr.is(t, `
▌+ a/
 + z/
   A.ipynb
   b.txt`)
	if !tr.Expand() || tr.Expand() {
		t.Error("a folder's listing is wanted once")
	}
	if w := tr.Want(); !slices.Equal(w, []string{"/r", "/r/a"}) {
		t.Error(w)
	}
	tr.is(t, `
▌- a/  …
 + z/
   A.ipynb
   b.txt`)
	tr.Set("/r/a", Listing{Entries: names("in.py deep/")})
	tr.Move(1)
	tr.Expand()
	tr.Set("/r/a/deep", Listing{})
	tr.Move(1)
	tr.is(t, `
 - a/
   - deep/  empty
▌    in.py
 + z/
   A.ipynb
   b.txt`)
	if tr.Path() != "/r/a/in.py" || tr.Dir() != "/r/a" {
		t.Error(tr.Path(), tr.Dir())
	}
	tr.Collapse() // to its folder
	if tr.Path() != "/r/a" || tr.Dir() != "/r/a" {
		t.Error(tr.Path(), tr.Dir())
	}
	if !tr.Collapse() || len(tr.Want()) != 1 {
		t.Error("collapsed folders are not wanted", tr.Want())
	}
	tr.ToggleHidden()
	tr.is(t, `
 + .git/
▌+ a/
 + z/
   .dot
   A.ipynb
   b.txt`)
}

// Things change around the cursor: it stays on its entry and in its line.
func TestTheCursorKeepsItsPlace(t *testing.T) {
	tr := of(3, "b c d e f g")
	tr.Move(3)
	tr.is(t, "   c\n   d\n▌  e")
	tr.Set("/r", Listing{Entries: names("a1 a2 a3 b c d e f g")})
	tr.is(t, "   c\n   d\n▌  e")
	tr.Set("/r", Listing{Entries: names("b c f g")})
	if tr.Path() != "/r/f" {
		t.Error("the entry behind one that is gone comes up, not", tr.Path())
	}
	tr.Set("/r", Listing{Entries: names("b c")})
	if tr.Path() != "/r/c" {
		t.Error(tr.Path())
	}
	tr.Set("/r", Listing{Why: "permission denied"})
	tr.is(t, "   permission denied")
	if _, _, ok := tr.Current(); ok {
		t.Error("there is an entry in a folder that cannot be read")
	}
	tr.Move(1)
	tr.Collapse()
	tr.Expand()
	tr.Set("/r", Listing{Entries: names("x")})
	tr.is(t, "▌  x")
}

func TestAFolderThatIsGoneIsCollapsed(t *testing.T) {
	tr := of(5, "a/ b")
	tr.Expand()
	tr.Set("/r/a", Listing{Entries: names("c/")})
	tr.Move(1)
	tr.Expand()
	tr.Set("/r", Listing{Entries: names("a b"), Partial: true})
	if len(tr.Want()) != 1 && len(tr.Want()) != 3 {
		t.Error(tr.Want())
	}
	tr.Set("/r", Listing{Entries: names("a b")})
	if len(tr.Want()) != 1 {
		t.Error(tr.Want())
	}
	tr.Set("/r/a/c", Listing{Entries: names("late")})
	tr.is(t, "▌  a\n   b")
}

func TestFilter(t *testing.T) {
	tr := of(6, "many/ nb1.ipynb nb2.ipynb Notes.txt")
	tr.Expand()
	tr.Set("/r/many", Listing{Entries: names("img1 img2 Übung.ipynb")})
	tr.Filter("IPYNB")
	tr.is(t, `
 - many/
▌    Übung.ipynb
   nb1.ipynb
   nb2.ipynb`)
	tr.Filter("nb 2")
	tr.is(t, "▌  nb2.ipynb")
	tr.Filter("übu")
	tr.is(t, " - many/\n▌    Übung.ipynb")
	tr.Filter("nothing")
	tr.is(t, "   nothing is called that")
	tr.Filter("")
	if tr.Len() != 7 {
		t.Error(tr.Len())
	}
	tr.SetRoot("/nothing")
	tr.Set("/nothing", Listing{})
	tr.is(t, "   empty")
}

// A filter that is given up is a search that is given up: the cursor goes back. What was
// moved to stays.
func TestCursorAfterAFilter(t *testing.T) {
	tr := of(4, "alpha beta gamma delta epsilon")
	tr.Choose(4)
	was := tr.plain(30)
	tr.Filter("a")
	tr.Filter("al")
	tr.is(t, "▌  alpha")
	tr.Filter("alx")
	tr.Filter("")
	tr.is(t, was)
	tr.Filter("a")
	tr.Choose(1)
	tr.Filter("")
	if tr.Path() != "/r/beta" {
		t.Errorf("after a move the cursor is on %q", tr.Path())
	}
	tr.Filter("eps")
	tr.Chose()
	tr.Filter("")
	if tr.Path() != "/r/epsilon" {
		t.Errorf("after a choice the cursor is on %q", tr.Path())
	}
}

func TestOrders(t *testing.T) {
	list := []Entry{{Name: "a", Size: 1, Time: 3}, {Name: "B", Size: 3, Time: 2}, {Name: "c", Size: 2, Time: 1}, {Name: "d", Kind: Folder}}
	for o, want := range map[Order]string{ByName: "d a B c", ByTime: "d a B c", BySize: "d B c a"} {
		Sort(list, o)
		var got []string
		for _, e := range list {
			got = append(got, e.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %v: %v", o, got)
		}
	}
	if ByName.Next().Next().Next() != ByName {
		t.Error("the orders do not go round")
	}
}

// Putting some entries in comes to the same as sorting all.
func TestUpdate(t *testing.T) {
	old := names("z/ b/ A.txt a.txt c.txt é.txt m.ipynb")
	now := names("a/ B.txt c.txt zz Z")
	for i := range now {
		now[i].Size, now[i].Time = int64(i*7%5), int64(i*3%4)
	}
	gone := map[string]bool{"a.txt": true, "b": true}
	for _, e := range now {
		gone[e.Name] = true
	}
	var all []Entry
	for _, e := range old {
		if !gone[e.Name] {
			all = append(all, e)
		}
	}
	all = append(all, now...)
	for o := range Order(3) {
		Sort(old, o)
		Sort(all, o)
		was := slices.Clone(old)
		if got := Update(old, gone, slices.Clone(now), o); !slices.Equal(got, all) {
			t.Errorf("by %v: %v, not %v", o, got, all)
		}
		if !slices.Equal(old, was) {
			t.Errorf("by %v: what there was has changed", o)
		}
	}
	if got := Update(nil, nil, nil, ByName); len(got) != 0 {
		t.Error(got)
	}
}

func TestMarks(t *testing.T) {
	tr := New("/r")
	tr.SetHeight(9)
	old := names("same.txt grew.txt")
	now := names("same.txt grew.txt new.txt")
	for i := range now {
		if now[i].Name == "grew.txt" {
			now[i].Size = 5
		}
	}
	MarkChanged(now, old)
	now = append(now, Entry{Name: "pipe", Kind: Pipe}, Entry{Name: "lost", Flags: Link | Broken, Target: "nowhere"},
		Entry{Name: "a\x1b[31m\nb\xff", Flags: Ignored}, Entry{Name: "closed", Kind: Folder, Flags: Unreadable})
	tr.SetRunning(map[string]bool{"/r/same.txt": true})
	tr.Set("/r", Listing{Entries: now})
	tr.is(t, `
▌  grew.txt ~
   new.txt ~
   same.txt *
   pipe |
   lost !
   a b�
 + closed/ !`)
	tr.ToggleIgnored()
	if strings.Contains(tr.plain(30), "b�") {
		t.Error("what is ignored shows")
	}
	again := names("same.txt grew.txt new.txt")
	MarkChanged(again, now)
	if !again[1].Is(Changed) || again[2].Is(Changed) {
		t.Error("marks are not kept", again)
	}
}

func TestWideAndNarrow(t *testing.T) {
	tr := New("/r")
	tr.SetHeight(2)
	tr.Set("/r", Listing{Entries: []Entry{
		{Name: "a-rather-long-name-for-a-notebook.ipynb", Size: 12345, Time: 1e18 - 3600e9},
		{Name: "日本語", Size: 1, Time: 1},
	}})
	for width := 1; width < 90; width++ {
		for _, line := range tr.Lines(width, Look{Theme: themes.Dark(), Icons: ASCII(), Now: time.Unix(1e9, 0).UTC()}) {
			if w := ansi.StringWidth(line); w != width {
				t.Fatalf("a line of %d columns in %d: %q", w, width, line)
			}
		}
	}
	if got := tr.plain(80); !strings.Contains(got, "12.3 KB Sep  9 00:46") || !strings.Contains(got, "Jan  1  1970") {
		t.Error(got)
	}
}

func TestSetRoot(t *testing.T) {
	tr := of(9, "a/ b")
	tr.Expand()
	tr.Set("/r/a", Listing{Entries: names("x y")})
	tr.Move(2)
	tr.SetRoot("/r/a")
	tr.is(t, "   x\n▌  y")
	tr.SetRoot("/r")
	if w := tr.Want(); !slices.Equal(w, []string{"/r", "/r/a"}) {
		t.Error(w)
	}
	tr.Set("/r", Listing{Entries: names("a/ b")})
	tr.SetRoot("/")
	if w := tr.Want(); w[0] != "/" || len(w) != 2 || !tr.OpenTo("/r/a/x") || len(tr.Want()) != 3 {
		t.Error(tr.Want())
	}
}

// many is a folder of n files.
func many(n int) []Entry {
	list := make([]Entry, n)
	for i := range list {
		list[i] = Entry{Name: fmt.Sprintf("img_%06d.png", i*7919%n), Size: int64(i)}
	}
	return list
}

// 20,000 expanded folders stay within 30 MB.
func TestMemoryOfManyFolders(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tr := New("/r")
	tr.SetHeight(40)
	var top []Entry
	for i := range 200 {
		top = append(top, Entry{Name: fmt.Sprintf("package-%d", i), Kind: Folder})
	}
	tr.root.entries, tr.root.listed, tr.root.whole = top, true, true
	for _, e := range top {
		f := tr.expand(tr.root, e.Name)
		for j := range 100 {
			name := fmt.Sprint("n", j)
			f.entries = append(f.entries, Entry{Name: name, Kind: Folder})
			sub := tr.expand(f, name)
			sub.entries = []Entry{{Name: "lib", Kind: Folder}, {Name: "index.js"}}
		}
	}
	tr.rebuild()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 20<<20 || tr.Len() < 60_000 {
		t.Errorf("%d folders in %d rows take %d MB", len(tr.dirs), tr.Len(), used>>20)
	}
	runtime.KeepAlive(tr)
}

func BenchmarkHundredThousand(b *testing.B) {
	list := many(100_000)
	b.Run("sort", func(b *testing.B) {
		for range b.N {
			Sort(slices.Clone(list), ByName)
		}
	})
	Sort(list, ByName)
	tr := New("/r")
	tr.SetHeight(40)
	b.Run("set", func(b *testing.B) {
		for range b.N {
			tr.Set("/r", Listing{Entries: list})
		}
	})
	tr.Set("/r", Listing{Entries: list})
	look := Look{Theme: themes.Dark(), Icons: ASCII()}
	b.Run("key", func(b *testing.B) {
		for i := range b.N {
			tr.Move(1 - 2*(i%2))
			tr.Lines(40, look)
		}
	})
	b.Run("filter", func(b *testing.B) {
		for range b.N {
			tr.Filter("9999 png")
			tr.Filter("")
		}
	})
	b.Run("update", func(b *testing.B) {
		for range b.N {
			Update(list, map[string]bool{"img_000007.png": true}, []Entry{{Name: "img_000007.png"}, {Name: "new"}}, ByName)
		}
	})
	b.Run("changes", func(b *testing.B) {
		for range b.N {
			MarkChanged(slices.Clone(list), list)
		}
	})
}
