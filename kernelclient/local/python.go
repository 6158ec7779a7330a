package local

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// python is an interpreter that was found without starting it.
type python struct {
	path    string // to start; not resolved, so that a virtual environment stays one
	prefix  string // sys.prefix, "" where unknown
	base    string // for a virtual environment that sees its base's packages: that prefix
	version string // such as "3.11", "" where unknown
	venv    bool
}

// tooOld says that it is known to be older than 3.8, the oldest Python we run code on.
func (p python) tooOld() bool {
	major, minor, ok := strings.Cut(p.version, ".")
	n, err := strconv.Atoi(minor)
	return ok && err == nil && (major != "3" || n < 8)
}

// pythonIn is the interpreter of an environment's folder.
func pythonIn(prefix string) (python, bool) {
	names := []string{"bin/python3", "bin/python"}
	if runtime.GOOS == "windows" {
		names = []string{`Scripts\python.exe`, "python.exe"}
	}
	for _, n := range names {
		if p := filepath.Join(prefix, n); isExecutable(p) {
			return pythonAt(p), true
		}
	}
	return python{}, false
}

// versioned finds the version in an interpreter's real file name.
func versioned(path string) string {
	m := regexp.MustCompile(`^python(3\.\d+)`).FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return ""
	}
	return m[1]
}

// pythonAt reads what Python itself reads to find its prefix: pyvenv.cfg beside or above
// the unresolved path, else the place of the resolved file.
func pythonAt(path string) python {
	p := python{path: path}
	bin := filepath.Dir(path)
	for _, dir := range []string{filepath.Dir(bin), bin} {
		cfg, err := os.ReadFile(filepath.Join(dir, "pyvenv.cfg"))
		if err == nil {
			return readVenv(p, dir, string(cfg))
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !strings.HasPrefix(filepath.Base(real), "python") || isScript(real) {
		return p // a shim of a version manager: its prefix is unknown here
	}
	p.version = versioned(real)
	p.prefix = prefixOfBin(filepath.Dir(real))
	return p
}

// prefixOfBin is the environment that a folder of programs belongs to.
func prefixOfBin(bin string) string {
	base := filepath.Base(bin)
	if base == "bin" || strings.EqualFold(base, "Scripts") {
		return filepath.Dir(bin)
	}
	return bin
}

func readVenv(p python, prefix, cfg string) python {
	p.prefix, p.venv = prefix, true
	home, system := "", false
	for line := range strings.Lines(cfg) {
		k, v, _ := strings.Cut(line, "=")
		v = strings.TrimSpace(v)
		switch strings.ToLower(strings.TrimSpace(k)) {
		case "home":
			home = v
		case "include-system-site-packages":
			system = strings.EqualFold(v, "true")
		case "version", "version_info": // "3.11.7", uv and virtualenv write more
			if f := strings.Split(v, "."); len(f) >= 2 {
				p.version = f[0] + "." + f[1]
			}
		}
	}
	if system && home != "" {
		p.base = prefixOfBin(home)
	}
	return p
}

// hasIpykernel tells whether this Python can import ipykernel, as far as its folders show.
func (p python) hasIpykernel(e environ) bool { return p.has("ipykernel", e) }

// has tells whether this Python can import a package, as far as its folders show.
func (p python) has(name string, e environ) bool {
	for _, dir := range p.packageDirs(e) {
		if isDir(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// packageDirs lists the folders that Python would import packages from.
func (p python) packageDirs(e environ) []string {
	var dirs []string
	for _, d := range filepath.SplitList(e.get("PYTHONPATH")) {
		if d != "" {
			dirs = append(dirs, d)
		}
	}
	if p.prefix == "" {
		return dirs
	}
	dirs = append(dirs, siteDirs(p.prefix, p.version)...)
	if p.base != "" {
		dirs = append(dirs, siteDirs(p.base, p.version)...)
	}
	if p.venv && p.base == "" {
		return dirs
	}
	if e.get("PYTHONNOUSERSITE") == "" {
		dirs = append(dirs, siteDirs(userBase(e), p.version)...)
	}
	if p.prefix == "/usr" { // Debian's Python looks there as well
		dirs = append(dirs, siteDirs("/usr/local", p.version)...)
	}
	return dirs
}

// siteDirs lists a prefix's package folders for a version, for every version if it is unknown.
func siteDirs(prefix, version string) []string {
	if prefix == "" {
		return nil
	}
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(prefix, "Lib", "site-packages")}
	}
	if version == "" {
		version = "3*"
	}
	var dirs []string
	for _, pattern := range []string{
		"lib/python" + version + "/site-packages",
		"lib64/python" + version + "/site-packages",
		"lib/python" + version + "/dist-packages",
		"lib/python3/dist-packages",
	} {
		found, err := filepath.Glob(filepath.Join(quoteGlob(prefix), pattern))
		if err == nil {
			dirs = append(dirs, found...)
		}
	}
	return dirs
}

// quoteGlob makes a folder's name mean itself in a pattern.
func quoteGlob(s string) string {
	if runtime.GOOS == "windows" {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// userBase is Python's user base folder (site.getuserbase).
func userBase(e environ) string {
	if d := e.get("PYTHONUSERBASE"); d != "" {
		return d
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(e.get("APPDATA"), "Python")
	}
	return filepath.Join(e.home(), ".local")
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

func isExecutable(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || fi.Mode()&0o111 != 0
}

// isScript tells whether a program begins with #!.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [2]byte
	n, _ := f.Read(b[:])
	return n == 2 && string(b[:]) == "#!"
}
