package local

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// environ is a process environment, K=V. Where a name is there twice, the last one counts.
type environ []string

func (e environ) lookup(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		k, v, ok := strings.Cut(e[i], "=")
		if ok && sameVar(k, name) {
			return v, true
		}
	}
	return "", false
}

func (e environ) get(name string) string {
	v, _ := e.lookup(name)
	return v
}

// with returns a copy in which the given K=V replace what was there.
func (e environ) with(vars ...string) environ {
	out := append(environ(nil), e...)
	for _, kv := range vars {
		k, _, ok := strings.Cut(kv, "=")
		if !ok {
			continue
		}
		out = append(out.without(k), kv)
	}
	return out
}

func (e environ) without(name string) environ {
	out := make(environ, 0, len(e)+1)
	for _, kv := range e {
		if k, _, _ := strings.Cut(kv, "="); !sameVar(k, name) {
			out = append(out, kv)
		}
	}
	return out
}

// sameVar compares names of variables as the system does.
func sameVar(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

func (e environ) home() string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if h := e.get(name); h != "" {
		return h
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return h
}

// dataDir is Jupyter's user data folder (jupyter_core.paths.jupyter_data_dir).
func (e environ) dataDir() string {
	if d := e.get("JUPYTER_DATA_DIR"); d != "" {
		return d
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(e.home(), "Library", "Jupyter")
	case "windows":
		if d := e.get("APPDATA"); d != "" {
			return filepath.Join(d, "jupyter")
		}
		return filepath.Join(e.home(), "AppData", "Roaming", "jupyter")
	}
	return filepath.Join(e.xdg("XDG_DATA_HOME", ".local/share"), "jupyter")
}

// runtimeDir is where connection files lie (jupyter_core.paths.jupyter_runtime_dir).
func (e environ) runtimeDir() string {
	if d := e.get("JUPYTER_RUNTIME_DIR"); d != "" {
		return d
	}
	return filepath.Join(e.dataDir(), "runtime")
}

// logDir is where the kernels' own words go, unless Options says another folder.
func (e environ) logDir() string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(e.home(), "Library", "Logs", "nbterm")
	case "windows":
		if d := e.get("LOCALAPPDATA"); d != "" {
			return filepath.Join(d, "nbterm", "log")
		}
	}
	return filepath.Join(e.xdg("XDG_STATE_HOME", ".local/state"), "nbterm", "log")
}

// cacheDir is where what can be made again is kept.
func (e environ) cacheDir() string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(e.home(), "Library", "Caches", "nbterm")
	case "windows":
		if d := e.get("LOCALAPPDATA"); d != "" {
			return filepath.Join(d, "nbterm", "cache")
		}
	}
	return filepath.Join(e.xdg("XDG_CACHE_HOME", ".cache"), "nbterm")
}

// xdg reads a folder of the XDG base directory specification, which says that relative
// values count as unset.
func (e environ) xdg(name, fallback string) string {
	if d := e.get(name); filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(e.home(), filepath.FromSlash(fallback))
}
