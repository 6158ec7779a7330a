package local

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// environments lists the Pythons that code beside a notebook could mean, the nearest first:
// the activated environment, .venv and venv in dir and above it, the first on PATH.
func environments(e environ, dir string) []python {
	var found []python
	seen := map[string]bool{}
	add := func(p python, ok bool) {
		if ok && !p.tooOld() && !seen[p.path] && (p.prefix == "" || !seen[p.prefix]) {
			seen[p.path], seen[p.prefix] = true, true
			found = append(found, p)
		}
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := e.get(name); prefix != "" {
			add(pythonIn(prefix))
		}
	}
	for _, prefix := range nearby(dir) {
		add(pythonIn(prefix))
	}
	add(pythonOnPath(e, dir))
	return found
}

// nearby lists the virtual environments beside dir and above it. One that belongs to a
// stranger is left out: on a shared machine anybody can put a .venv into /tmp.
func nearby(dir string) []string {
	if dir == "" {
		return nil
	}
	var found []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		for _, name := range []string{".venv", "venv"} {
			p := filepath.Join(d, name)
			if isFile(filepath.Join(p, "pyvenv.cfg")) && trusted(p, dir) {
				found = append(found, p)
			}
		}
		if d == filepath.Dir(d) {
			return found
		}
	}
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// pythonOnPath is the first python3 on PATH, seen through pyenv's shims.
func pythonOnPath(e environ, dir string) (python, bool) {
	for _, d := range filepath.SplitList(e.get("PATH")) {
		p := filepath.Join(d, "python3")
		if runtime.GOOS == "windows" {
			p = filepath.Join(d, "python.exe")
		}
		if !filepath.IsAbs(p) || !isExecutable(p) {
			continue
		}
		if filepath.Base(d) != "shims" || !isScript(p) {
			return pythonAt(p), true
		}
		real, system := pyenvPython(e, filepath.Dir(d), dir)
		switch {
		case real != "":
			return pythonAt(real), true
		case !system:
			return python{path: p}, true // another manager's shim: only running it would tell
		}
	}
	return python{}, false
}

// pyenvPython follows pyenv's rules (pyenv-version-name) from a shim to the interpreter.
// system says that the user chose the next python3 on PATH.
func pyenvPython(e environ, root, dir string) (path string, system bool) {
	for _, want := range pyenvVersions(e, root, dir) {
		if want == "system" {
			return "", true
		}
		want = strings.TrimPrefix(want, "python-")
		if p, ok := pythonIn(filepath.Join(root, "versions", want)); ok {
			return p.path, false
		}
		// "3.11" means the newest 3.11.x.
		found, err := filepath.Glob(filepath.Join(quoteGlob(root), "versions", quoteGlob(want)+".*"))
		if err != nil {
			continue
		}
		slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(b, a)) })
		for _, prefix := range found {
			if p, ok := pythonIn(prefix); ok {
				return p.path, false
			}
		}
	}
	return "", false
}

func pyenvVersions(e environ, root, dir string) []string {
	if v := e.get("PYENV_VERSION"); v != "" {
		return strings.Split(v, ":")
	}
	for d := filepath.Clean(dir); dir != ""; d = filepath.Dir(d) {
		if b, err := os.ReadFile(filepath.Join(d, ".python-version")); err == nil {
			return strings.Fields(string(b))
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	b, err := os.ReadFile(filepath.Join(root, "version"))
	if err != nil {
		return []string{"system"}
	}
	return strings.Fields(string(b))
}
