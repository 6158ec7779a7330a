package fileops

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Trash moves a path to the trash and returns how to bring it back.
type Trash func(path fswatch.Path) (restore func() error, err error)

// Ops works on the files of one place. Its methods may be called from any goroutine.
type Ops struct {
	FS    fswatch.FS
	Trash Trash // nil: there is none
}

// Done is something that was done.
type Done struct {
	What    string       // in a few words, for the user
	Path    fswatch.Path // what there is now, "" for nothing
	Moved   fswatch.Path // what Path was before, "" if it was not moved
	Deleted fswatch.Path // what there is no more, "" for nothing
	// Undo takes it back; nil where that cannot be, and Why says so.
	Undo func(context.Context) error
	Why  string
}

// NewFile writes a file that must not be there yet: fswatch.Exists where something is.
func (o Ops) NewFile(ctx context.Context, p fswatch.Path, text string) (Done, error) {
	_, err := o.FS.Write(ctx, []fswatch.File{{Path: p, Body: strings.NewReader(text), Size: int64(len(text))}}, fswatch.WriteOptions{New: true})
	if err != nil {
		return Done{}, err
	}
	return Done{What: "made " + path.Base(p), Path: p, Undo: func(ctx context.Context) error { return o.discard(ctx, p) }}, nil
}

// NewFolder makes a folder that must not be there yet.
func (o Ops) NewFolder(ctx context.Context, p fswatch.Path) (Done, error) {
	created, err := o.FS.Mkdir(ctx, p)
	if err != nil {
		return Done{}, err
	}
	if !created {
		return Done{}, exists(p)
	}
	return Done{What: "made the folder " + path.Base(p), Path: p, Undo: func(ctx context.Context) error {
		if list, err := o.FS.List(ctx, p, fswatch.ListOptions{Quick: true}); err != nil {
			return err
		} else if len(list) > 0 {
			return &fswatch.Error{Kind: fswatch.Invalid, What: path.Base(p) + " is not empty any more"}
		}
		return o.FS.Remove(ctx, p)
	}}, nil
}

func exists(p fswatch.Path) error {
	return &fswatch.Error{Kind: fswatch.Exists, What: path.Base(p) + " exists already"}
}

// Move gives a file or folder another path. Something that is there is fswatch.Exists, and
// with replace goes to the trash, or is lost where there is none; a folder never gives way.
func (o Ops) Move(ctx context.Context, from, to fswatch.Path, replace bool) (Done, error) {
	var restore func() error
	lost := false
	if replace {
		if there, err := o.FS.Stat(ctx, to); err == nil {
			if there.IsDir() && !there.Link {
				return Done{}, &fswatch.Error{Kind: fswatch.Invalid, What: path.Base(to) + " is a folder, which is not replaced"}
			}
			if o.Trash != nil {
				restore, _ = o.Trash(to) // else it is replaced for good, as was agreed
			}
			lost = restore == nil
		}
	}
	if _, err := o.FS.Move(ctx, from, to, fswatch.MoveOptions{Replace: replace}); err != nil {
		if restore != nil {
			err = errors.Join(err, restore())
		}
		return Done{}, err
	}
	what := fmt.Sprintf("moved %s to %s", path.Base(from), path.Dir(to))
	if path.Dir(from) == path.Dir(to) {
		what = fmt.Sprintf("renamed %s to %s", path.Base(from), path.Base(to))
	}
	d := Done{What: what, Path: to, Moved: from, Undo: func(ctx context.Context) error {
		if _, err := o.FS.Move(ctx, to, from, fswatch.MoveOptions{}); err != nil {
			return err
		}
		if restore != nil {
			return restore()
		}
		return nil
	}}
	if lost {
		d.Undo, d.Why = nil, "what was there before is gone"
	}
	return d, nil
}

// Delete puts something into the trash. Where there is none, or forGood is said, it is gone.
func (o Ops) Delete(ctx context.Context, p fswatch.Path, forGood bool) (Done, error) {
	if !forGood {
		if o.Trash == nil {
			return Done{}, ErrNoTrash
		}
		restore, err := o.Trash(p)
		if err != nil {
			return Done{}, fmt.Errorf("%w: %w", ErrNoTrash, err)
		}
		return Done{What: path.Base(p) + " is in the trash", Deleted: p, Undo: func(context.Context) error { return restore() }}, nil
	}
	if err := o.FS.Remove(ctx, p); err != nil {
		return Done{}, err
	}
	return Done{What: "deleted " + path.Base(p), Deleted: p, Why: path.Base(p) + " is gone for good"}, nil
}

// ErrNoTrash says that something cannot be deleted so that it could be brought back.
var ErrNoTrash = errors.New("there is no trash for it")

// discard takes away what was made: to the trash where there is one.
func (o Ops) discard(ctx context.Context, p fswatch.Path) error {
	_, err := o.Delete(ctx, p, false)
	if errors.Is(err, ErrNoTrash) {
		return o.FS.Remove(ctx, p)
	}
	return err
}
