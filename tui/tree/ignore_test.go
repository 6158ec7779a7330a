package tree

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The rules mean what they mean to git, which is asked where it is installed.
func TestIgnoredAsGitHasIt(t *testing.T) {
	top := "# notes\n*.log\n!keep.log\n/build\nout/\n\\#hash\ntrail \nesc\\ \ndoc/*.txt\n**/deep\nall/**\n" +
		"a/**/z\n[!x]?.dat\nname[0-9].py\n/only/here\n!/build/not\n\r\n"
	paths := []string{
		"x.log", "keep.log", "sub/x.log", "sub/keep.log", "build/", "sub/build/", "build/not", "out/", "out", "sub/out/", "#hash",
		"trail", "esc ", "doc/a.txt", "doc/in/a.txt", "sub/doc/a.txt", "deep", "q/w/deep", "all/", "all/b", "all/b/c",
		"a/z", "a/b/z", "a/b/c/z", "ab.dat", "xb.dat", "name1.py", "namex.py", "only/here", "sub/only/here", "sub/own", "other/own", "sub/yes.log",
	}
	nested := "own\n!yes.log\n"
	for _, p := range paths {
		if got, want := ignoredBy(top, nested, p), byGit(t, top, nested, p); got != want {
			t.Errorf("%q: ignored %v, git says %v", p, got, want)
		}
	}
}

func ignoredBy(top, nested, p string) bool {
	g := Ignoring{}.Add(ParseRules([]byte(top)))
	folder := strings.HasSuffix(p, "/")
	names := strings.Split(strings.TrimSuffix(p, "/"), "/")
	for _, dir := range names[:len(names)-1] {
		g = g.Enter(dir)
		if dir == "sub" {
			g = g.Add(ParseRules([]byte(nested)))
		}
	}
	return g.Ignored(names[len(names)-1], folder)
}

func byGit(t *testing.T, top, nested, p string) bool {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	for name, data := range map[string]string{".gitignore": top, "sub/.gitignore": nested} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(p, "/") { // git looks what it is
		if err := os.MkdirAll(filepath.Join(dir, p), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.Output()
		return string(bytes.TrimSpace(out)), err
	}
	if _, err := run("init", "-q"); err != nil {
		t.Skip("git cannot make a repository here:", err)
	}
	_, err = run("check-ignore", "-q", "--no-index", strings.TrimSuffix(p, "/"))
	return err == nil
}

func FuzzRules(f *testing.F) {
	f.Add("*.log\n!a/**/b\n[", "a/b/c")
	f.Add("**/**/**\n\\", "x")
	f.Fuzz(func(t *testing.T, rules, path string) {
		if len(path) > 100 || len(rules) > 1000 || strings.Count(rules, "**") > 6 {
			return
		}
		_ = ignoredBy(rules, "", path)
	})
}
