//go:build unix

package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Environments that tools keep are found, each under a name of its own that no other
// kernel has, and none of them is taken for the nearest Python.
func TestEnvironmentsElsewhere(t *testing.T) {
	e, home := bare(t)
	in := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	venv(t, in("work", ".venv"), "ipykernel")
	venv(t, in("work", "sub", "venv"))
	for dir, packages := range map[string][]string{
		".virtualenvs/shop":                      {"ipykernel"},
		".cache/pypoetry/virtualenvs/web-py3.11": nil,
		".local/share/virtualenvs/pip-env":       nil,
		"other place/.venv":                      nil, // nobody knows of it
	} {
		venv(t, in(dir), packages...)
	}
	conda := func(dir string, packages ...string) {
		venv(t, dir, packages...)
		if err := os.Remove(filepath.Join(dir, "pyvenv.cfg")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "conda-meta", "history"), "", 0o644)
		if err := os.Rename(filepath.Join(dir, "bin", "python3"), filepath.Join(dir, "bin", "python3.11")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("python3.11", filepath.Join(dir, "bin", "python3")); err != nil {
			t.Fatal(err)
		}
	}
	conda(in("miniconda3"), "ipykernel")
	conda(in("miniconda3", "envs", "ml"), "ipykernel")
	conda(in("big disk", "envs", "ml"))
	write(t, in(".conda", "environments.txt"), in("miniconda3")+"\n"+in("big disk", "envs", "ml")+"\n"+in("gone")+"\n", 0o644)
	conda(in(".pyenv", "versions", "3.11.7"))
	write(t, in("miniconda3", "envs", "linked", "conda-meta", "history"), "", 0o644)
	write(t, in("miniconda3", "envs", "linked", "bin", "other"), "", 0o644)
	if err := os.Symlink(in("miniconda3", "bin", "python3"), in("miniconda3", "envs", "linked", "bin", "python3")); err != nil {
		t.Fatal(err)
	}

	specs := own(search(e, in("work", "sub")), home)
	var got []string
	for _, s := range specs {
		k := s.kernel()
		if k.Elsewhere {
			got = append(got, k.Name)
			if !strings.HasPrefix(k.Env, home) || k.Found != k.Env || k.Broken != "" || s.fileName() != "python3" {
				t.Errorf("%+v, for others %s", k, s.fileName())
			}
		}
	}
	want := "pyenv:3.11.7 poetry:web-py3.11 venv:shop venv:pip-env conda:ml conda:miniconda3 conda:" + in("big disk", "envs", "ml")
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for name, builtin := range map[string]bool{"conda:ml": false, "venv:shop": false, "poetry:web-py3.11": true} {
		s, err := pick(specs, name)
		if err != nil || s.builtin != builtin {
			t.Errorf("%s: built in %v, %v", name, s.builtin, err)
		}
	}
	for name, want := range map[string][3]string{
		"venv:shop": {in(".virtualenvs", "shop", "bin"), in(".virtualenvs", "shop"), ""},
		"conda:ml":  {in("miniconda3", "envs", "ml", "bin"), "", in("miniconda3", "envs", "ml")},
	} {
		s, _ := pick(specs, name)
		env := s.python.activate(e.with("PATH=/usr/bin", "VIRTUAL_ENV=/other", "CONDA_PREFIX=/other", "PYTHONHOME=/other"))
		got := [3]string{env.get("PATH"), env.get("VIRTUAL_ENV"), env.get("CONDA_PREFIX")}
		if want[0] += ":/usr/bin"; got != want || env.get("PYTHONHOME") != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if s, err := pick(specs, "python3"); err != nil || s.prefix != in("work", ".venv") {
		t.Errorf("python3 is of %s, %v", s.prefix, err)
	}
}
