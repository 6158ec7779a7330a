//go:build unix

package local

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

const good = `{"argv": ["/bin/sh", "{connection_file}"], "display_name": %q, "language": "sh"}`

// kernelspec puts a kernel that could start into a Jupyter data folder.
func kernelspec(t *testing.T, data, name, display string) {
	t.Helper()
	write(t, filepath.Join(data, "kernels", name, "kernel.json"), fmt.Sprintf(good, display), 0o644)
}

// venv makes what looks like a virtual environment, with the packages.
func venv(t *testing.T, dir string, packages ...string) {
	t.Helper()
	write(t, filepath.Join(dir, "pyvenv.cfg"), "home = /usr/bin\nversion = 3.11.7\n", 0o644)
	write(t, filepath.Join(dir, "bin", "python3"), "", 0o755)
	for _, p := range packages {
		write(t, filepath.Join(dir, "lib/python3.11/site-packages", p, "__init__.py"), "", 0o644)
	}
}

func display(specs []spec, name string) string {
	s, err := pick(specs, name)
	if err != nil {
		return err.Error()
	}
	return s.file.DisplayName
}

func names(specs []spec) string {
	var list []string
	for _, s := range specs {
		list = append(list, s.name)
	}
	return strings.Join(list, " ")
}

// own leaves out what this machine has in its system folders.
func own(specs []spec, home string) []spec {
	return slices.DeleteFunc(specs, func(s spec) bool {
		return !s.builtin && !strings.HasPrefix(s.dir, home) && !strings.HasPrefix(s.python.path, home)
	})
}

func TestSearchOrder(t *testing.T) {
	e, home := bare(t)
	data := func(name string) string { return filepath.Join(home, name, "share", "jupyter") }
	venv(t, filepath.Join(home, "active"))
	e = e.with("VIRTUAL_ENV="+filepath.Join(home, "active"), "PYTHONUSERBASE="+filepath.Join(home, "base"),
		"JUPYTER_PATH="+filepath.Join(home, "one")+":"+filepath.Join(home, "two"))
	places := []string{filepath.Join(home, "one"), filepath.Join(home, "two"), data("active"), filepath.Join(home, ".local/share/jupyter"), data("base")}
	for i, place := range places { // the last place holds all names, the first one only the first
		for n := i; n >= 0; n-- {
			kernelspec(t, place, fmt.Sprint("k", i-n), fmt.Sprint("place ", i))
		}
	}
	kernelspec(t, places[4], "K0", "place 4")
	specs := search(e, home)
	for i := range places {
		if got, want := display(specs, fmt.Sprint("K", i)), fmt.Sprint("place ", i); got != want {
			t.Errorf("k%d is from %q, not %q", i, got, want)
		}
	}
	if strings.Count(strings.ToLower(names(specs)), "k0") != 1 {
		t.Errorf("a name is listed twice: %s", names(specs))
	}
	user := search(e.with("JUPYTER_PREFER_ENV_PATH=0"), home)
	if got := display(user, "k2"); got != "place 3" {
		t.Errorf("with JUPYTER_PREFER_ENV_PATH=0 k2 is from %q", got)
	}
}

func TestDataFolders(t *testing.T) {
	for _, c := range []struct{ set, data, runtime string }{
		{"JUPYTER_DATA_DIR=/d", "/d", "/d/runtime"},
		{"XDG_DATA_HOME=/x", "/x/jupyter", "/x/jupyter/runtime"},
		{"XDG_DATA_HOME=relative", "/h/.local/share/jupyter", "/h/.local/share/jupyter/runtime"},
		{"JUPYTER_RUNTIME_DIR=/r", "/h/.local/share/jupyter", "/r"},
	} {
		e := environ{"HOME=/h", c.set}
		if e.dataDir() != c.data || e.runtimeDir() != c.runtime {
			t.Errorf("%s: %s, %s", c.set, e.dataDir(), e.runtimeDir())
		}
	}
}

func TestBrokenSpecs(t *testing.T) {
	e, home := bare(t)
	data := filepath.Join(home, "share")
	if err := os.CopyFS(filepath.Join(data, "kernels"), os.DirFS("../../testdata/kernels/broken")); err != nil {
		t.Fatal(err)
	}
	kernelspec(t, data, "good", "Good")
	kernelspec(t, data, "no name", "No name")
	write(t, filepath.Join(data, "kernels", "remote", "kernel.json"),
		`{"argv": ["/bin/sh"], "metadata": {"kernel_provisioner": {"provisioner_name": "yarn-provisioner"}}}`, 0o644)
	write(t, filepath.Join(data, "kernels", "odd-metadata", "kernel.json"), `{"argv": ["/bin/sh"], "metadata": [1]}`, 0o644)
	write(t, filepath.Join(data, "kernels", "bom", "kernel.json"), "\ufeff"+`{"argv": ["/bin/sh"]}`, 0o644)
	write(t, filepath.Join(data, "kernels", "none", "logo.png"), "", 0o644)
	write(t, filepath.Join(home, "bin", "python3"), "", 0o755)
	e = e.with("JUPYTER_PATH="+data, "PATH="+filepath.Join(home, "bin"))
	want := map[string]string{
		"bad-json": "not valid", "no-argv": "no argv", "missing-binary": "no-such-binary-xyz",
		"remote": "yarn-provisioner", "dies-at-start": "", "good": "", "odd-metadata": "", "bom": "", kernelclient.BuiltinPython: "",
		"no name": "its folder's name is no kernel's",
	}
	for _, s := range own(search(e, home), home) {
		reason, known := want[s.name]
		if !known || (reason == "") != (s.broken == "") || !strings.Contains(s.broken, reason) {
			t.Errorf("%s: %q", s.name, s.broken)
		}
		delete(want, s.name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestBrokenHidesNothing(t *testing.T) {
	e, home := bare(t)
	write(t, filepath.Join(home, "a/kernels/k/kernel.json"), "{", 0o644)
	kernelspec(t, filepath.Join(home, "b"), "K", "Good")
	specs := own(search(e.with("JUPYTER_PATH="+home+"/a:"+home+"/b"), ""), home)
	if got := display(specs, "k"); got != "Good" || len(specs) != 2 {
		t.Errorf("%q of %s", got, names(specs))
	}
}

func TestNativePython(t *testing.T) {
	e, home := bare(t)
	project := filepath.Join(home, "project")
	venv(t, filepath.Join(project, ".venv"))                    // nearest, without ipykernel
	venv(t, filepath.Join(home, "venv"), "ipykernel")           // above it, with
	venv(t, filepath.Join(home, "other"), "ipykernel", "numpy") // activated
	s, err := pick(search(e, filepath.Join(project, "deep")), "python3")
	if err != nil || s.python.path != filepath.Join(home, "venv/bin/python3") {
		t.Errorf("%+v, %v", s.python, err)
	}
	if k := s.kernel(); k.Found != filepath.Join(home, "venv") || k.Language != "python" {
		t.Errorf("%+v", k)
	}
	s, err = pick(search(e.with("VIRTUAL_ENV="+filepath.Join(home, "other")), project), "Python3")
	if err != nil || s.python.prefix != filepath.Join(home, "other") {
		t.Errorf("activated: %+v, %v", s.python, err)
	}
	// An installed kernelspec of an environment is what its python3 means.
	kernelspec(t, filepath.Join(home, "venv/share/jupyter"), "python3", "Installed")
	if got := display(search(e, project), "python3"); got != "Installed" {
		t.Errorf("got %s", got)
	}
}

func TestBuiltinPython(t *testing.T) {
	e, home := bare(t)
	if specs := own(search(e, home), home); names(specs) != "" {
		t.Errorf("without any Python there is %s", names(specs))
	}
	venv(t, filepath.Join(home, ".venv"))
	s, err := pick(search(e, home), kernelclient.BuiltinPython)
	if err != nil || s.python.path != filepath.Join(home, ".venv/bin/python3") || s.kernel().Found != "built in" {
		t.Errorf("%+v, %v", s, err)
	}
	write(t, filepath.Join(home, ".venv/pyvenv.cfg"), "home = /usr/bin\nversion = 3.7.16\n", 0o644)
	if specs := own(search(e, home), home); names(specs) != "" {
		t.Errorf("Python 3.7 gives %s", names(specs))
	}
}

func TestPythonAt(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "opt/python/bin/python3.12"), "", 0o755)
	write(t, filepath.Join(dir, "opt/python/lib/python3.12/site-packages/ipykernel/x"), "", 0o644)
	write(t, filepath.Join(dir, "bin/x"), "", 0o644)
	if err := os.Symlink("../opt/python/bin/python3.12", filepath.Join(dir, "bin/python3")); err != nil {
		t.Fatal(err)
	}
	p := pythonAt(filepath.Join(dir, "bin/python3"))
	if p.prefix != filepath.Join(dir, "opt/python") || p.version != "3.12" || p.venv || !p.hasIpykernel(nil) {
		t.Errorf("through a link: %+v", p)
	}
	// A virtual environment is found before its links are resolved.
	venv(t, filepath.Join(dir, "env"))
	write(t, filepath.Join(dir, "env/pyvenv.cfg"),
		"home = "+filepath.Join(dir, "opt/python/bin")+"\ninclude-system-site-packages = true\nversion_info = 3.12.1.final.0\n", 0o644)
	p = pythonAt(filepath.Join(dir, "env/bin/python3"))
	if p.prefix != filepath.Join(dir, "env") || p.version != "3.12" || !p.hasIpykernel(nil) {
		t.Errorf("virtual environment with its base's packages: %+v", p)
	}
	write(t, filepath.Join(dir, "env/pyvenv.cfg"), "home = "+filepath.Join(dir, "opt/python/bin")+"\nversion = 3.12.1\n", 0o644)
	if p = pythonAt(p.path); p.hasIpykernel(nil) {
		t.Error("a virtual environment sees its base's packages without being told to")
	}
	if !p.hasIpykernel(environ{"PYTHONPATH=" + filepath.Join(dir, "opt/python/lib/python3.12/site-packages")}) {
		t.Error("PYTHONPATH is not honoured")
	}
}

func TestPyenvShim(t *testing.T) {
	e, home := bare(t)
	root := filepath.Join(home, ".pyenv")
	write(t, filepath.Join(root, "shims/python3"), "#!/usr/bin/env bash\n", 0o755)
	for _, v := range []string{"3.9.18", "3.11.7", "3.11.10"} {
		write(t, filepath.Join(root, "versions", v, "bin/python"+v[:strings.LastIndex(v, ".")]), "", 0o755)
		if err := os.Symlink("python"+v[:strings.LastIndex(v, ".")], filepath.Join(root, "versions", v, "bin/python3")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(home, "sys/python3"), "", 0o755)
	write(t, filepath.Join(root, "version"), "3.11.7\n", 0o644)
	write(t, filepath.Join(home, "a/.python-version"), "3.11\n", 0o644)
	write(t, filepath.Join(home, "s/.python-version"), "system\n", 0o644)
	e = e.with("PATH=" + filepath.Join(root, "shims") + ":" + filepath.Join(home, "sys"))
	for _, c := range []struct{ dir, env, want string }{
		{home, "X=", root + "/versions/3.11.7/bin/python3"},
		{home + "/a/b", "X=", root + "/versions/3.11.10/bin/python3"},
		{home + "/a", "PYENV_VERSION=3.9.18:3.11.7", root + "/versions/3.9.18/bin/python3"},
		{home + "/s", "X=", home + "/sys/python3"},
		{home, "PYENV_VERSION=2.0", root + "/shims/python3"},
	} {
		if p, ok := pythonOnPath(e.with(c.env), c.dir); !ok || p.path != c.want {
			t.Errorf("%s in %s: %s", c.env, c.dir, p.path)
		}
	}
}

func TestProgram(t *testing.T) {
	e, home := bare(t)
	prefix, path := filepath.Join(home, "conda"), filepath.Join(home, "bin")
	write(t, filepath.Join(prefix, "bin/python"), "", 0o755)
	write(t, filepath.Join(path, "python3"), "", 0o755)
	write(t, filepath.Join(path, "ir"), "", 0o755)
	write(t, filepath.Join(home, "tools/run"), "", 0o755)
	venv(t, filepath.Join(home, ".venv"), "ipykernel")
	e = e.with("PATH=" + path)
	all := environments(e, home)
	in := func(dir string, argv ...string) spec {
		return spec{dir: dir, prefix: prefixOfSpec(dir), file: specFile{Argv: argv}}
	}
	inEnv, inUser := filepath.Join(prefix, "share/jupyter/kernels/k"), filepath.Join(home, "k")
	for _, c := range []struct {
		s    spec
		want string
	}{
		{in(inEnv, "python", "-m", "ipykernel_launcher"), prefix + "/bin/python"},
		{in(inEnv, "python3.11"), prefix + "/bin/python"},
		{in(inUser, "python3", "-m", "ipykernel_launcher"), home + "/.venv/bin/python3"},
		{in(inUser, "python3", "-m", "octave_kernel"), path + "/python3"},
		{in(inEnv, "ir"), path + "/ir"},
		{in(inUser, "~/tools/run"), home + "/tools/run"},
		{in(inUser, "python3-config"), ""},
		{in(inUser, "../k/nothing"), ""},
	} {
		if got, err := c.s.program(e, all); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c.s.file.Argv, got, err)
		}
	}
}

func TestFillArgv(t *testing.T) {
	e := environ{"HOME=/h"}
	got := fillArgv([]string{"~/x", "--f={connection_file}", "{resource_dir}/{prefix}", "{unknown}", "~", "a~/b", "{}"}, e,
		map[string]string{"connection_file": "/c {prefix}", "resource_dir": "/r", "prefix": "/p"})
	want := []string{"/h/x", "--f=/c {prefix}", "/r//p", "{unknown}", "/h", "a~/b", "{}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFillVars(t *testing.T) {
	e := environ{"HOME=/h", "A=1", "A=2", "EMPTY="}
	for in, want := range map[string]string{
		"${HOME}:extra": "/h:extra", "$A-${A}": "2-2", "${NOPE} $NOPE": "${NOPE} $NOPE",
		"$$A $$": "$A $", "${A": "${A", "$1 ${1}": "$1 ${1}", "<$EMPTY>": "<>",
	} {
		if got := fillVars(in, e); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
}

func TestStrangersEnvironment(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make folders of strangers")
	}
	e, home := bare(t)
	shared, mine := filepath.Join(home, "tmp"), filepath.Join(home, "tmp/mine")
	venv(t, filepath.Join(shared, ".venv"), "ipykernel")
	write(t, filepath.Join(mine, "x"), "", 0o644)
	if err := os.Chown(filepath.Join(shared, ".venv"), 12345, -1); err != nil {
		t.Fatal(err)
	}
	if found := environments(e, mine); len(found) != 0 {
		t.Errorf("a stranger's environment is taken: %+v", found)
	}
	if err := os.Chown(mine, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if found := environments(e, mine); len(found) != 1 {
		t.Error("the environment of the notebook's owner is not taken")
	}
}
