package treelist

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/tui/tree"
)

const (
	rulesName = ".gitignore"
	rulesSize = 1 << 18 // as much is read of such a file
	deepest   = 40      // folders above one that are looked at for a repository
)

// ruleFile is what a folder's .gitignore says, and which one that was.
type ruleFile struct {
	tree.Rules
	size, time int64 // -1: none
}

// noteRules reads the .gitignore of a folder that was listed, if it is another one than
// before, and reports whether there was one before.
func (r *Reader) noteRules(ctx context.Context, dir string, entries []tree.Entry) (changed bool) {
	now := ruleFile{size: -1}
	for i := range entries {
		if e := &entries[i]; e.Name == rulesName && e.Kind == tree.File {
			now.size, now.time = e.Size, e.Time
		}
	}
	r.mu.Lock()
	was, known := r.rules[dir]
	r.mu.Unlock()
	if known && was.size == now.size && was.time == now.time {
		return false
	}
	if now.size >= 0 {
		now.Rules = r.readRules(ctx, dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[dir] = now
	return known && (was.size >= 0 || now.size >= 0)
}

// readRules reads a .gitignore; one that cannot be read has no rules.
func (r *Reader) readRules(ctx context.Context, dir string) tree.Rules {
	body, _, err := r.fs.Open(ctx, path.Join(dir, rulesName), fswatch.Range{})
	if err != nil {
		return tree.Rules{}
	}
	defer body.Close()
	data, _ := io.ReadAll(io.LimitReader(body, rulesSize)) // what came counts
	return tree.ParseRules(data)
}

// markIgnored sets Ignored on the entries of a folder that the rules name.
func (r *Reader) markIgnored(ctx context.Context, dir string, entries []tree.Entry) {
	in := r.ignoring(ctx, dir)
	for i := range entries {
		if e := &entries[i]; in.Ignored(e.Name, e.Kind == tree.Folder && !e.Is(tree.Link)) {
			e.Flags |= tree.Ignored
		}
	}
}

// ignoring are the rules for a folder: from the top of its repository down, or from the
// tree's root where there is no repository.
func (r *Reader) ignoring(ctx context.Context, dir string) tree.Ignoring {
	top := r.top(ctx, dir)
	in := tree.Ignoring{}.Add(r.rulesOf(ctx, top))
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, strings.TrimSuffix(top, "/")), "/")
	at := top
	for name := range strings.SplitSeq(rest, "/") {
		if name == "" {
			continue
		}
		at = path.Join(at, name)
		in = in.Enter(name).Add(r.rulesOf(ctx, at))
	}
	return in
}

func (r *Reader) rulesOf(ctx context.Context, dir string) tree.Rules {
	r.mu.Lock()
	known, ok := r.rules[dir]
	r.mu.Unlock()
	if ok {
		return known.Rules
	}
	now := ruleFile{size: -1}
	if e, err := r.fs.Stat(ctx, path.Join(dir, rulesName)); err == nil && e.Type == fswatch.TypeFile {
		now = ruleFile{r.readRules(ctx, dir), e.Size, e.ModTime.UnixNano()}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[dir] = now
	return now.Rules
}

// top is the top of the repository that a folder is in, else the tree's root if the folder
// is below that, else the folder itself.
func (r *Reader) top(ctx context.Context, dir string) string {
	r.mu.Lock()
	root := r.root
	top, ok := r.tops[dir]
	if !ok {
		top, ok = r.tops[path.Dir(dir)]
		ok = ok && dir != root // a folder of a known one: a repository inside another is rare
	}
	r.mu.Unlock()
	if ok {
		return top
	}
	top = dir
	if strings.HasPrefix(dir+"/", strings.TrimSuffix(root, "/")+"/") {
		top = root
	}
	for at, n := dir, 0; n < deepest; at, n = path.Dir(at), n+1 {
		if _, err := r.fs.Stat(ctx, path.Join(at, ".git")); err == nil {
			top = at
			break
		}
		if at == "/" || at == "." {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tops[dir] = top
	return top
}
