package fileops

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
)

func ops(t *testing.T) (Ops, context.Context) {
	t.Helper()
	return Ops{FS: memfs.New()}, t.Context()
}

// trashed gives the ops a trash: a folder of the same files.
func (o Ops) trashed() Ops {
	o.Trash = func(p string) (func() error, error) {
		_, err := o.FS.Move(context.Background(), p, "/trash"+p, fswatch.MoveOptions{Replace: true})
		return func() error {
			_, err := o.FS.Move(context.Background(), "/trash"+p, p, fswatch.MoveOptions{})
			return err
		}, err
	}
	return o
}

// tree lists all files with their contents.
func (o Ops) tree(t *testing.T) string {
	t.Helper()
	list, err := o.FS.List(t.Context(), "/", fswatch.ListOptions{Depth: 9})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		if e.Type != fswatch.TypeFile || strings.HasPrefix(e.Path, "/trash/") {
			continue
		}
		body, _, err := o.FS.Open(t.Context(), e.Path, fswatch.Range{})
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(body)
		_ = body.Close()
		out = append(out, e.Path+"="+string(data))
	}
	return strings.Join(out, " ")
}

func (o Ops) is(t *testing.T, want string) {
	t.Helper()
	if got := o.tree(t); got != want {
		t.Errorf("there is %q, not %q", got, want)
	}
}

func must(t *testing.T) func(Done, error) Done {
	return func(d Done, err error) Done {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func TestNewAndUndo(t *testing.T) {
	o, ctx := ops(t)
	made := must(t)(o.NewFile(ctx, "/d/a.ipynb", "x"))
	if _, err := o.NewFile(ctx, "/d/a.ipynb", "y"); !errors.Is(err, fswatch.Exists) {
		t.Error(err)
	}
	o.is(t, "/d/a.ipynb=x")
	if err := made.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	o.is(t, "")
	folder := must(t)(o.NewFolder(ctx, "/f"))
	if _, err := o.NewFolder(ctx, "/f"); !errors.Is(err, fswatch.Exists) {
		t.Error(err)
	}
	must(t)(o.NewFile(ctx, "/f/in", "1"))
	if err := folder.Undo(ctx); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	o.is(t, "/f/in=1")
}

func TestMoveAndUndo(t *testing.T) {
	o, ctx := ops(t)
	o = o.trashed()
	must(t)(o.NewFile(ctx, "/a", "1"))
	must(t)(o.NewFile(ctx, "/b", "2"))
	if _, err := o.Move(ctx, "/a", "/b", false); !errors.Is(err, fswatch.Exists) {
		t.Error(err)
	}
	moved := must(t)(o.Move(ctx, "/a", "/b", true))
	o.is(t, "/b=1")
	if err := moved.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	o.is(t, "/a=1 /b=2")
	o.Trash = nil
	if moved = must(t)(o.Move(ctx, "/a", "/b", true)); moved.Undo != nil || moved.Why == "" {
		t.Error("what was replaced cannot come back")
	}
	if _, err := o.Move(ctx, "/nothing", "/c", false); !errors.Is(err, fswatch.NotFound) {
		t.Error(err)
	}
	must(t)(o.NewFile(ctx, "/dir/x", "3"))
	if _, err := o.Move(ctx, "/b", "/dir", true); err == nil {
		t.Error("a folder gave way")
	}
	o.is(t, "/b=1 /dir/x=3")
}

func TestDelete(t *testing.T) {
	o, ctx := ops(t)
	must(t)(o.NewFile(ctx, "/d/a", "1"))
	if _, err := o.Delete(ctx, "/d", false); !errors.Is(err, ErrNoTrash) {
		t.Error(err)
	}
	o = o.trashed()
	gone := must(t)(o.Delete(ctx, "/d", false))
	o.is(t, "")
	if err := gone.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	o.is(t, "/d/a=1")
	if d := must(t)(o.Delete(ctx, "/d", true)); d.Undo != nil || d.Why == "" {
		t.Error("it is not said that it is gone")
	}
	o.is(t, "")
}

func TestCopy(t *testing.T) {
	o, ctx := ops(t)
	must(t)(o.NewFile(ctx, "/d/a.txt", "1"))
	must(t)(o.NewFile(ctx, "/d/in/b", "2"))
	if _, err := o.Copy(ctx, "/d", "/d/in/d"); err == nil {
		t.Error("it was copied into itself")
	}
	if _, err := o.Copy(ctx, "/d/a.txt", "/d/in"); !errors.Is(err, fswatch.Exists) {
		t.Error(err)
	}
	name, err := o.FreeName(ctx, "/d", "a.txt")
	if err != nil || name != "/d/a-copy.txt" {
		t.Fatal(name, err)
	}
	must(t)(o.Copy(ctx, "/d/a.txt", name))
	if name, _ = o.FreeName(ctx, "/d", "a.txt"); name != "/d/a-copy2.txt" {
		t.Error(name)
	}
	all := must(t)(o.Copy(ctx, "/d", "/e"))
	o.is(t, "/d/a-copy.txt=1 /d/a.txt=1 /d/in/b=2 /e/a-copy.txt=1 /e/a.txt=1 /e/in/b=2")
	if err := all.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	o.is(t, "/d/a-copy.txt=1 /d/a.txt=1 /d/in/b=2")
	other := memfs.New()
	far := Ops{FS: other}
	must(t)(far.CopyFrom(ctx, o.FS, "/d/in", "/up"))
	far.is(t, "/up/b=2")
}
