package treelist

import (
	"context"
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
