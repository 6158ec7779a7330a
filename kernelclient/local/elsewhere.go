package local

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// place is a folder whose subfolders are Python environments, and who makes them.
type place struct{ kind, dir string }

// elsewhere adds the environments that are neither the nearest nor activated: those that
// tools keep in places of their own, and those beside the notebook that have no name of
// their own left. Where one lacks ipykernel the built-in kernel runs in its Python.
func (f *finder) elsewhere() {
	taken := map[string]bool{}
	for _, s := range f.found {
		if s.broken == "" && (s.prefix != "" || s.builtin) {
			taken[s.prefix], taken[s.python.prefix] = true, true
		}
	}
	add := func(kind string, p python, ok bool) {
		real, err := filepath.EvalSymlinks(p.prefix)
		if !ok || err != nil || p.version == "" || p.tooOld() || taken[p.prefix] || taken[real] {
			return
		}
		taken[p.prefix], taken[real] = true, true
		f.add(f.inEnvironment(kind, p))
	}
	for _, p := range f.all {
		add("python", p, p.prefix != "")
	}
	for _, pl := range environmentPlaces(f.e) {
		for _, dir := range subfolders(pl.dir) {
			p, ok := pythonOf(dir)
			add(pl.kind, p, ok)
		}
	}
	for _, dir := range condaPrefixes(f.e) {
		p, ok := pythonOf(dir)
		add("conda", p, ok && isDir(filepath.Join(dir, "conda-meta")))
	}
}

// pythonOf is the interpreter that has dir as its prefix. One that merely is linked from
// there is of another place.
func pythonOf(dir string) (p python, ok bool) {
	if p, ok = pythonIn(dir); !ok {
		return p, false
	}
	prefix, err := os.Stat(p.prefix)
	folder, dirErr := os.Stat(dir)
	return p, err == nil && dirErr == nil && os.SameFile(prefix, folder)
}

// inEnvironment is the kernel of an environment's Python, under a name that no kernelspec has.
func (f *finder) inEnvironment(kind string, p python) spec {
	s := native(p)
	s.other = true
	base := filepath.Base(p.prefix)
	if base == ".venv" || base == "venv" {
		kind, base = "venv", filepath.Base(filepath.Dir(p.prefix))
	} else if p.venv && kind == "python" {
		kind = "venv"
	}
	s.name = kind + ":" + base
	if f.seen["name:"+strings.ToLower(s.name)] {
		s.name = kind + ":" + p.prefix
	}
	s.file.DisplayName = "Python " + p.version + " (" + s.name + ")"
	if !p.hasIpykernel(f.e) {
		s.builtin = true
		s.file.DisplayName += ", built in"
	}
	return s
}

// environmentPlaces are where tools keep environments by default or by their variables.
func environmentPlaces(e environ) []place {
	home := e.home()
	or := func(name, fallback string) string {
		if d := e.get(name); filepath.IsAbs(d) {
			return d
		}
		return filepath.Join(home, filepath.FromSlash(fallback))
	}
	caches, data := e.xdg("XDG_CACHE_HOME", ".cache"), e.xdg("XDG_DATA_HOME", ".local/share")
	if runtime.GOOS == "darwin" {
		caches = filepath.Join(home, "Library", "Caches")
	}
	poetry := e.get("POETRY_CACHE_DIR")
	if !filepath.IsAbs(poetry) {
		poetry = filepath.Join(caches, "pypoetry")
	}
	places := []place{
		{"pyenv", filepath.Join(or("PYENV_ROOT", ".pyenv"), "versions")},
		{"poetry", filepath.Join(poetry, "virtualenvs")},
		{"venv", or("WORKON_HOME", ".virtualenvs")},
		{"venv", filepath.Join(data, "virtualenvs")}, // pipenv's
		{"uv", filepath.Join(data, "uv", "python")},
		{"conda", filepath.Join(home, ".conda", "envs")},
	}
	for _, root := range condaRoots(e) {
		places = append(places, place{"conda", filepath.Join(root, "envs")})
	}
	return places
}

// condaRoots are where conda and its likes are installed.
func condaRoots(e environ) []string {
	var roots []string
	if exe := e.get("CONDA_EXE"); filepath.IsAbs(exe) {
		roots = append(roots, filepath.Dir(filepath.Dir(exe)))
	}
	if root := e.get("MAMBA_ROOT_PREFIX"); filepath.IsAbs(root) {
		roots = append(roots, root)
	}
	for _, name := range []string{"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"} {
		roots = append(roots, filepath.Join(e.home(), name))
	}
	return append(roots, "/opt/conda")
}

// condaPrefixes are conda's own environments, and those that it has a list of.
func condaPrefixes(e environ) []string {
	prefixes := condaRoots(e)
	list, _ := os.ReadFile(filepath.Join(e.home(), ".conda", "environments.txt")) // there is none without conda
	for line := range strings.Lines(string(list)) {
		if dir := strings.TrimSpace(line); filepath.IsAbs(dir) {
			prefixes = append(prefixes, dir)
		}
	}
	return prefixes
}

// activate is what an environment's own script does for a shell: programs that code starts
// by name (pip, say) are those of the environment.
func (p python) activate(e environ) environ {
	e = e.without("PYTHONHOME").with("PATH=" + filepath.Dir(p.path) + string(filepath.ListSeparator) + e.get("PATH"))
	if p.venv {
		return e.without("CONDA_PREFIX").with("VIRTUAL_ENV=" + p.prefix)
	}
	e = e.without("VIRTUAL_ENV")
	if isDir(filepath.Join(p.prefix, "conda-meta")) {
		return e.with("CONDA_PREFIX="+p.prefix, "CONDA_DEFAULT_ENV="+filepath.Base(p.prefix))
	}
	return e
}

// isEnvironment tells whether a prefix is a virtual or a conda environment.
func isEnvironment(prefix string) bool {
	return prefix != "" && (isFile(filepath.Join(prefix, "pyvenv.cfg")) || isDir(filepath.Join(prefix, "conda-meta")))
}

// fileName is what other programs call the kernel.
func (s *spec) fileName() string {
	if s.other {
		return nativePython
	}
	return s.name
}
