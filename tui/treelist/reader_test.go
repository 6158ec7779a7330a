package treelist

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/tui/tree"
)

func put(t *testing.T, files fswatch.FS, name, text string) {
	t.Helper()
	if _, err := files.Write(context.Background(), []fswatch.File{{Path: name, Body: strings.NewReader(text), Size: int64(len(text))}}, fswatch.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// ignored are the names in a listing that are ignored.
func ignored(l tree.Listing) string {
	var names []string
	for _, e := range l.Entries {
		if e.Is(tree.Ignored) {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestRulesComeFromTheRepositoryAbove(t *testing.T) {
	ctx, files := t.Context(), memfs.New()
	put(t, files, "/repo/.git/config", "")
	put(t, files, "/repo/.gitignore", "*.log\n/sub/own\n")
	put(t, files, "/repo/sub/own", "")
	put(t, files, "/repo/sub/a.log", "")
	put(t, files, "/repo/sub/b.txt", "")
	put(t, files, "/.gitignore", "*.txt\n") // above the repository: counts for nothing
	r := New(files, "/repo/sub")
	l, _ := r.Read(ctx, Ask{Dir: "/repo/sub"})
	if got := ignored(l); got != "a.log own" {
		t.Errorf("ignored: %q", got)
	}
	put(t, files, "/repo/sub/.gitignore", "b.*\n!a.log\n")
	l, changed := r.Read(ctx, Ask{Dir: "/repo/sub"})
	if got := ignored(l); got != "b.txt own" || !changed {
		t.Errorf("ignored with rules of its own: %q, %v", got, changed)
	}
	if _, changed = r.Read(ctx, Ask{Dir: "/repo/sub"}); changed {
		t.Error("rules that are as they were count as others")
	}
}

// Without a repository the rules begin at the tree's root.
func TestRulesWithoutARepository(t *testing.T) {
	ctx, files := t.Context(), memfs.New()
	put(t, files, "/home/.gitignore", "b\n")
	put(t, files, "/home/work/.gitignore", "a\n")
	put(t, files, "/home/work/x/a", "")
	put(t, files, "/home/work/x/b", "")
	r := New(files, "/home/work")
	if l, _ := r.Read(ctx, Ask{Dir: "/home/work/x"}); ignored(l) != "a" {
		t.Errorf("ignored: %q", ignored(l))
	}
	r.SetRoot("/home")
	if l, _ := r.Read(ctx, Ask{Dir: "/home/work/x"}); ignored(l) != "a b" {
		t.Errorf("ignored from above: %q", ignored(l))
	}
}

func TestReadSaysWhyNot(t *testing.T) {
	files := memfs.New()
	put(t, files, "/file", "x")
	r := New(files, "/")
	if l, _ := r.Read(t.Context(), Ask{Dir: "/nowhere"}); l.Why != "not found" || l.Entries != nil {
		t.Errorf("%+v", l)
	}
	if l, _ := r.Read(t.Context(), Ask{Dir: "/file"}); !strings.Contains(l.Why, "not a folder") {
		t.Errorf("%+v", l)
	}
}

// Of a large folder the names come first, then all of it with marks of what changed.
func TestALargeFolder(t *testing.T) {
	ctx, files := t.Context(), memfs.New()
	var all []fswatch.File
	for i := range many + 1 {
		all = append(all, fswatch.File{Path: "/d/" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26), Body: strings.NewReader("1"), Size: 1})
	}
	if _, err := files.Write(ctx, all, fswatch.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	r := New(files, "/d")
	first, _ := r.Read(ctx, Ask{Dir: "/d", Quick: true})
	whole, _ := r.Read(ctx, Ask{Dir: "/d"})
	if !first.Partial || whole.Partial || len(whole.Entries) <= many {
		t.Fatalf("partial: %v, then %v with %d", first.Partial, whole.Partial, len(whole.Entries))
	}
	put(t, files, "/d/new", "now")
	put(t, files, "/d/mine", "now")
	again, _ := r.Read(ctx, Ask{Dir: "/d", Old: whole.Entries, Keep: []string{"/d/mine"}})
	var marked []string
	for _, e := range again.Entries {
		if e.Is(tree.Changed) {
			marked = append(marked, e.Name)
		}
	}
	if strings.Join(marked, " ") != "new" {
		t.Errorf("marked as changed: %q", marked)
	}
}

// counting counts how often a folder is listed.
type counting struct {
	fswatch.FS
	lists int
}

func (c *counting) List(ctx context.Context, dir string, o fswatch.ListOptions) ([]fswatch.Entry, error) {
	c.lists++
	return c.FS.List(ctx, dir, o)
}

// Where the entries that changed are known by name, only they are looked at: what is shown then
// is what a new listing shows.
func TestReadSomeNames(t *testing.T) {
	ctx, files := t.Context(), &counting{FS: memfs.New()}
	for _, name := range []string{"/d/a", "/d/b.log", "/d/c", "/d/sub/x"} {
		put(t, files, name, "1")
	}
	put(t, files, "/d/.gitignore", "*.log\n")
	r := New(files, "/d")
	was, _ := r.Read(ctx, Ask{Dir: "/d"})
	put(t, files, "/d/c", "longer")
	put(t, files, "/d/new.log", "1")
	put(t, files, "/d/mine", "1")
	if err := files.Remove(ctx, "/d/a"); err != nil {
		t.Fatal(err)
	}
	ask := Ask{Dir: "/d", Old: was.Entries, Keep: []string{"/d/mine"}}
	want, _ := r.Read(ctx, ask)
	lists := files.lists
	ask.Names = []string{"a", "c", "mine", "new.log"}
	got, _ := r.Read(ctx, ask)
	if !slices.Equal(got.Entries, want.Entries) || files.lists != lists {
		t.Errorf("listed %d times more: %+v, not %+v", files.lists-lists, got.Entries, want.Entries)
	}
	put(t, files, "/d/.gitignore", "c\n")
	ask.Names, ask.Old = []string{".gitignore"}, got.Entries
	if got, rules := r.Read(ctx, ask); ignored(got) != "c" || !rules {
		t.Errorf("after other rules: %q, %v", ignored(got), rules)
	}
}
