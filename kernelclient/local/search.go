package local

import (
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// search finds every kernel there is for a notebook in dir, the first of a name first.
func search(e environ, dir string) []spec {
	all := environments(e, dir)
	f := finder{e: e, all: all, seen: map[string]bool{}}
	f.folders(jupyterPath(e))
	envs, user := f.environments, func() { f.folders(userDirs(e)) }
	if preferEnv(e) {
		envs(true)
		user()
	} else {
		user()
		envs(true)
	}
	envs(false)
	f.folders(systemDirs(e))
	f.builtin()
	f.elsewhere()
	return f.found
}

type finder struct {
	e     environ
	all   []python
	seen  map[string]bool // folded names of good kernels, and folders
	found []spec
}

// folders adds the kernelspecs of Jupyter data folders.
func (f *finder) folders(dirs []string) {
	for _, d := range dirs {
		if f.seen[d] || d == "" {
			continue
		}
		f.seen[d] = true
		for _, kernel := range subfolders(filepath.Join(d, "kernels")) {
			if s, ok := readSpec(kernel); ok {
				f.add(s)
			}
		}
	}
}

// add takes a kernel unless a good one of the same name was found before it. A broken one
// is listed with its reason and hides nothing.
func (f *finder) add(s spec) {
	s.check(f.e, f.all)
	key := "name:" + strings.ToLower(s.name)
	if f.seen[key] {
		return
	}
	f.seen[key] = s.broken == ""
	f.found = append(f.found, s)
}

// environments adds what the Python environments hold: those that are activated or lie
// beside the notebook, or with near false the first Python on PATH if it is no such thing.
func (f *finder) environments(near bool) {
	for _, p := range f.all {
		if p.prefix == "" || p.near(f.e) != near {
			continue
		}
		f.folders([]string{filepath.Join(p.prefix, "share", "jupyter")})
		if p.hasIpykernel(f.e) {
			f.add(native(p))
		}
	}
}

// near tells an environment that somebody chose from the machine's own Python.
func (p python) near(e environ) bool {
	return p.venv || p.prefix == e.get("CONDA_PREFIX") || p.prefix == e.get("VIRTUAL_ENV")
}

// native is the kernel of a Python that can import ipykernel but has no kernelspec
// (KernelSpecManager.ensure_native_kernel).
func native(p python) spec {
	return spec{name: nativePython, python: p, prefix: p.prefix, file: specFile{
		Argv:        []string{p.path, "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		DisplayName: "Python 3 (ipykernel)", Language: "python",
	}}
}

// builtin adds the kernels that nbterm brings along, as far as what they need is here.
func (f *finder) builtin() {
	if len(f.all) > 0 {
		f.builtinPythons()
	}
	if shell := shellOf(f.e); shell != "" {
		f.add(spec{name: kernelclient.BuiltinShell, builtin: true, shell: shell, file: specFile{
			DisplayName: "Shell (built in)", Language: "bash",
		}})
	}
}

func (f *finder) builtinPythons() {
	f.add(spec{name: kernelclient.BuiltinPython, builtin: true, python: f.all[0], file: specFile{
		DisplayName: "Python 3 (built in)", Language: "python",
	}})
	for _, p := range f.all {
		if p.has("IPython", f.e) {
			f.add(spec{name: kernelclient.BuiltinIPython, builtin: true, python: p, file: specFile{
				DisplayName: "IPython (built in)", Language: "python",
			}})
			break
		}
	}
}

func subfolders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // most of the places do not exist
	}
	var dirs []string
	for _, entry := range entries {
		if p := filepath.Join(dir, entry.Name()); isDir(p) {
			dirs = append(dirs, p)
		}
	}
	sort.Strings(dirs)
	return dirs
}

func jupyterPath(e environ) []string {
	var dirs []string
	for _, d := range filepath.SplitList(e.get("JUPYTER_PATH")) {
		if d != "" {
			dirs = append(dirs, filepath.Clean(expandHome(d, e)))
		}
	}
	return dirs
}

// userDirs are Jupyter's user data folder and the one in Python's user base.
func userDirs(e environ) []string {
	dirs := []string{e.dataDir(), filepath.Join(userBase(e), "share", "jupyter")}
	if runtime.GOOS == "darwin" { // framework builds have a base for each version
		bases, err := filepath.Glob(filepath.Join(quoteGlob(e.home()), "Library", "Python", "*", "share", "jupyter"))
		if err == nil {
			dirs = append(dirs, bases...)
		}
	}
	return dirs
}

func systemDirs(e environ) []string {
	if runtime.GOOS == "windows" {
		if d := e.get("PROGRAMDATA"); d != "" {
			return []string{filepath.Join(d, "jupyter")}
		}
		return nil
	}
	dirs := []string{"/usr/local/share/jupyter", "/usr/share/jupyter"}
	if runtime.GOOS == "darwin" {
		dirs = append(dirs, "/opt/homebrew/share/jupyter")
	}
	return dirs
}

// preferEnv says whether an environment comes before the user's folder: newer Jupyter does
// so inside a virtual or conda environment, and JUPYTER_PREFER_ENV_PATH decides if it is set.
func preferEnv(e environ) bool {
	v, ok := e.lookup("JUPYTER_PREFER_ENV_PATH")
	if !ok {
		return true
	}
	switch strings.ToLower(v) {
	case "no", "n", "false", "off", "0", "0.0":
		return false
	}
	return true
}
