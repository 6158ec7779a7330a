package envd

import (
	"context"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// cleanTime bounds the removing of what a failed upload left.
const cleanTime = 10 * time.Second

// writeNew writes those first files that are new in one request, and returns them and the
// rest: a new file needs no care for what was there.
func (f *FS) writeNew(ctx context.Context, files []fswatch.File, opt fswatch.WriteOptions) (done []fswatch.Entry, rest []fswatch.File, err error) {
	var parts []part
	var paths []fswatch.Path
	seen := map[fswatch.Path]bool{}
	for _, file := range files {
		t, err := f.target(ctx, file, opt)
		if err != nil || t.there || seen[t.path] || !plainName(t.path) {
			break // its own turn comes, and its error
		}
		seen[t.path] = true
		parts = append(parts, part{t.path, &measured{body: file.Body, left: file.Size, path: file.Path}})
		paths = append(paths, t.path)
	}
	if len(parts) < 2 {
		return nil, files, nil
	}
	body, kind := f.form(parts)
	defer body.Close()
	failed := f.post(ctx, "", kind, body, -1, opt)
	for i, p := range paths {
		e, err := f.Stat(ctx, p)
		if err != nil {
			if failed == nil {
				failed = err
			}
			return done, nil, failed
		}
		if failed != nil && !whole(e, files[i]) {
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
			defer cancel()
			_ = f.Remove(clean, p) // half a file; the first error is the one to tell
			return done, nil, failed
		}
		done = append(done, e)
	}
	return done, files[len(parts):], failed
}

// whole tells whether a file is there as it was meant, after a request that failed on the way.
func whole(e fswatch.Entry, file fswatch.File) bool { return file.Size >= 0 && e.Size == file.Size }

// plainName tells whether a path can stand in a form without being changed on the way.
func plainName(p string) bool {
	return !strings.ContainsFunc(p, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' || r == '%' })
}
