package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient/hosts"
)

// carried is what a run takes to its host and back.
type carried struct {
	put, get []string
}

func (f *carried) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.put, "put", nil, "copy this `FILE` or folder to the kernel's folder before the run (repeatable)")
	flags.StringArrayVar(&f.get, "get", nil, "copy what this `GLOB` matches in the kernel's folder to this one after the run (repeatable)")
}

// carrier carries files for one run.
type carrier struct {
	carried
	c      *common
	dir    string                                // of the kernel
	remote func(context.Context) (string, error) // what the host calls the kernel, once it is known
	lost   error                                 // why something could not be got
}

// before puts what is to be there when code runs.
func (r *carrier) before(ctx context.Context) error {
	if len(r.put) == 0 {
		return nil
	}
	return untilSignal(ctx, func(ctx context.Context) error {
		return r.with(ctx, func(here, there fswatch.FS) error {
			t := transfer{from: here, to: there}
			for _, p := range r.put {
				at := within(r.dir, path.Base(filepath.Clean(p)))
				if sameFile(there, p, at) {
					continue
				}
				if err := t.one(ctx, p, at); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// after gets what the run left, be it one that failed.
func (r *carrier) after(ctx context.Context) {
	if len(r.get) == 0 {
		return
	}
	r.lost = untilSignal(ctx, func(ctx context.Context) error {
		return r.with(ctx, func(here, there fswatch.FS) error {
			for _, pattern := range r.get {
				if err := r.fetch(ctx, here, there, pattern); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// verdict is the error of the whole: the run's own is the one that counts.
func (r *carrier) verdict(ran error) error {
	if ran != nil && r.lost != nil {
		note(r.lost.Error())
	}
	return cmp.Or(ran, r.lost)
}

// with opens the files of both sides. A sandbox that was made for this run is found by what
// its kernel is called.
func (r *carrier) with(ctx context.Context, do func(here, there fswatch.FS) error) error {
	t, err := r.c.hosted.resolve()
	if err != nil {
		return err
	}
	if t.Kind == hosts.E2B && t.ID == "" {
		name, err := r.remote(ctx)
		if err != nil {
			return err
		}
		t.ID, _, _ = strings.Cut(name, "/")
	}
	there, closeFiles, err := r.c.filesOf(ctx, t)
	if err != nil {
		return err
	}
	defer closeFiles()
	here, err := localfs.New(localfs.Options{})
	if err != nil {
		return err
	}
	return do(here, there)
}

// sameFile tells whether both sides are this machine and the paths lead to one file.
func sameFile(there fswatch.FS, a, b string) bool {
	if _, local := there.(*localfs.FS); !local {
		return false
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// fetch copies what matches one pattern. It keeps the folders of a relative one.
func (r *carrier) fetch(ctx context.Context, here, there fswatch.FS, pattern string) error {
	pattern = path.Clean(pattern)
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("--get %q is no pattern: a [ has no ]", pattern)
	}
	found, err := matching(ctx, there, r.dir, pattern)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return &fswatch.Error{Kind: fswatch.NotFound, What: fmt.Sprintf("--get %s: nothing there is called so", pattern), Next: "relative patterns begin at the kernel's folder"}
	}
	t := transfer{from: there, to: here}
	for _, p := range found {
		at := p
		if path.IsAbs(pattern) || !filepath.IsLocal(p) {
			at = path.Base(p)
		}
		source := p
		if !path.IsAbs(p) {
			source = within(r.dir, p)
		}
		if sameFile(there, source, at) {
			continue
		}
		if err := t.one(ctx, source, at); err != nil {
			return err
		}
	}
	return nil
}

// matching is the paths that match a pattern, relative to dir if the pattern is.
func matching(ctx context.Context, f fswatch.FS, dir, pattern string) ([]string, error) {
	fixed := pattern // what has no wildcard is not searched, as it may be long
	for strings.ContainsAny(fixed, `*?[\`) {
		fixed = path.Dir(fixed)
	}
	at := fixed
	if !path.IsAbs(pattern) {
		at = within(dir, fixed)
	}
	if fixed == pattern {
		there, err := fswatch.Has(ctx, f, at)
		if !there {
			return nil, err
		}
		return []string{pattern}, nil
	}
	depth := strings.Count(pattern, "/") + 1
	if fixed != "." {
		depth = strings.Count(strings.TrimPrefix(pattern, fixed), "/")
	}
	entries, err := f.List(ctx, at, fswatch.ListOptions{Depth: depth, Quick: true})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		base := strings.TrimSuffix(entries[0].Path, entries[0].Name)
		name := path.Join(fixed, strings.TrimPrefix(e.Path, base))
		if ok, _ := path.Match(pattern, name); ok {
			found = append(found, name)
		}
	}
	return found, nil
}
