package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/nbterm/nbterm/kernelclient"
)

// nativePython is the name of the kernel that an environment with ipykernel needs no
// kernelspec for.
const nativePython = "python3"

// spec is one kernel that was found, good or broken.
type spec struct {
	name    string
	dir     string // the kernelspec's folder, "" where there is none
	prefix  string // the environment that the folder belongs to, "" for none
	python  python // native and built-in kernels: the one to use
	shell   string // builtin-shell: the shell to use
	builtin bool
	other   bool   // of an environment that is taken only where it is asked for
	broken  string // why it cannot be started
	file    specFile
}

// specFile is what nbterm reads of a kernel.json ("Kernel specs" in jupyter_client's documentation).
type specFile struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
	Metadata      json.RawMessage   `json:"metadata"`
}

// validName is jupyter_client's rule for a kernel's name.
func validName(name string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name)
}

// readSpec reads a kernelspec folder. ok is false where there is no kernel.json.
func readSpec(dir string) (s spec, ok bool) {
	s = spec{name: filepath.Base(dir), dir: dir, prefix: prefixOfSpec(dir)}
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, false
	case err != nil:
		s.broken = "kernel.json cannot be read: " + plain(err).Error()
		return s, true
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, &s.file); err != nil {
		s.file = specFile{}
		s.broken = "kernel.json is not valid: " + err.Error()
	}
	return s, true
}

// prefixOfSpec is PREFIX of PREFIX/share/jupyter/kernels/NAME, if a Python lives there.
func prefixOfSpec(dir string) string {
	kernels := filepath.Dir(dir)
	share := filepath.Dir(filepath.Dir(kernels))
	if filepath.Base(kernels) != "kernels" || filepath.Base(share) != "share" {
		return ""
	}
	prefix := filepath.Dir(share)
	if _, ok := pythonIn(prefix); !ok {
		return ""
	}
	return prefix
}

// check fills broken with what can be seen without starting anything.
func (s *spec) check(e environ, all []python) {
	if s.broken != "" || s.builtin {
		return
	}
	if !s.other && !validName(s.name) {
		s.broken = "its folder's name is no kernel's: only letters without accents, digits, '.', '_' and '-' may be in it"
		return
	}
	if len(s.file.Argv) == 0 || s.file.Argv[0] == "" {
		s.broken = "kernel.json has no argv"
		return
	}
	if name := s.file.provisioner(); name != "" && name != "local-provisioner" {
		s.broken = fmt.Sprintf("it asks for the launcher %q, which nbterm does not have", name)
		return
	}
	if _, err := s.program(e, all); err != nil {
		s.broken = err.Error()
	}
}

// provisioner is metadata.kernel_provisioner.provisioner_name: who else must launch it.
func (f specFile) provisioner() string {
	var m struct {
		Provisioner struct {
			Name string `json:"provisioner_name"`
		} `json:"kernel_provisioner"`
	}
	if json.Unmarshal(f.Metadata, &m) != nil {
		return "" // metadata is anybody's; only this shape means something
	}
	return m.Provisioner.Name
}

// program is the absolute path of the program to start. A bare python, pythonX or
// pythonX.Y means the Python of the kernelspec's own environment; where it has none, that
// of the nearest environment that can do what argv asks, else the first on PATH.
func (s *spec) program(e environ, all []python) (string, error) {
	name := fillArgv(s.file.Argv[:1], e, map[string]string{"resource_dir": s.dir, "prefix": s.prefix})[0]
	if s.python.path != "" {
		return s.python.path, nil
	}
	if regexp.MustCompile(`^python(\d+(\.\d+)?)?(\.exe)?$`).MatchString(name) {
		if p, ok := s.pythonFor(e, all); ok {
			return p.path, nil
		}
	}
	path, err := lookPath(name, e.with(s.environment(e)...))
	if err != nil {
		return "", err
	}
	return path, nil
}

func (s *spec) pythonFor(e environ, all []python) (python, bool) {
	if s.prefix != "" {
		return pythonIn(s.prefix)
	}
	if s.file.isIpykernel() {
		for _, p := range all {
			if p.hasIpykernel(e) {
				return p, true
			}
		}
	}
	return python{}, false
}

// isIpykernel tells whether argv starts ipykernel as a module.
func (f specFile) isIpykernel() bool {
	for i, a := range f.Argv {
		if a == "-m" && i+1 < len(f.Argv) {
			m := f.Argv[i+1]
			return m == "ipykernel_launcher" || m == "ipykernel"
		}
	}
	return false
}

// lookPath finds a program as a shell would. Its errors name the program.
func lookPath(name string, e environ) (string, error) {
	missing := &kernelclient.Error{
		Kind: kernelclient.NotFound, What: fmt.Sprintf("the program %s was not found", name),
		Next: "install it, or choose another kernel",
	}
	if runtime.GOOS == "windows" {
		return lookPathExt(name, missing)
	}
	if filepath.Base(name) != name {
		if isExecutable(name) {
			return filepath.Abs(name)
		}
		return "", missing
	}
	for _, d := range filepath.SplitList(e.get("PATH")) {
		if p := filepath.Join(d, name); filepath.IsAbs(p) && isExecutable(p) {
			return p, nil
		}
	}
	return "", missing
}

// kernel is what the caller of Host.Kernels sees.
func (s *spec) kernel() kernelclient.Kernel {
	k := kernelclient.Kernel{
		Name: s.name, DisplayName: s.file.DisplayName, Language: s.file.Language,
		Found: s.dir, Broken: s.broken,
	}
	if k.DisplayName == "" {
		k.DisplayName = s.name
	}
	switch {
	case s.other:
		k.Found, k.Elsewhere = s.python.prefix, true
	case s.builtin:
		k.Found = "built in"
	case s.dir == "":
		k.Found = s.python.prefix
	}
	prefix := s.prefix
	if s.builtin {
		prefix = s.python.prefix
	}
	if s.other || isEnvironment(prefix) {
		k.Env = prefix
	}
	return k
}

// plain drops the path from a file error: the caller has named it already.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
