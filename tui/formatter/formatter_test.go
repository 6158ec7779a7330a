package formatter

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program makes a formatter out of a shell script.
func program(t *testing.T, name, script string) (folder string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	folder = t.TempDir()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return folder
}

func path() []string { return []string{"PATH=" + os.Getenv("PATH")} }

func TestTheEnvironmentsFormatterComesFirst(t *testing.T) {
	black := program(t, "black", "cat")
	ruff := program(t, "ruff", "cat")
	f, err := Find("python", t.TempDir(), []string{black}, []string{"PATH=" + filepath.Dir(black)})
	if err != nil || f.Name != "black" {
		t.Errorf("%v, %v", f, err)
	}
	f, err = Find("Python", t.TempDir(), []string{black, ruff}, nil)
	if err != nil || f.Name != "ruff" {
		t.Errorf("%v, %v", f, err)
	}
	_, err = Find("python", t.TempDir(), nil, nil)
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "install ruff or black") {
		t.Error(err)
	}
	if _, err = Find("cobol", t.TempDir(), nil, path()); !errors.As(err, &missing) {
		t.Error(err)
	}
}

func TestFormat(t *testing.T) {
	dir := t.TempDir()
	folder := program(t, "ruff", `[ "$1 $2 $3 $4" = "format --stdin-filename `+filepath.Join(dir, "cell.py")+` -" ] || exit 9
sed 's/=/ = /; s/;$//'; echo`)
	f, err := Find("python", dir, []string{folder}, path())
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"x=1": "x = 1", "x=1\n": "x = 1\n", "plot(x=1);": "plot(x = 1);", "": "",
	} {
		if got, err := f.Format(t.Context(), source); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", source, got, err, want)
		}
	}
	for _, source := range []string{"%matplotlib inline\nx=1", "!ls", "%%bash\nls", "x=1\nlen?", "files = !ls", "t = %timeit x", "?len"} {
		if _, err := f.Format(t.Context(), source); !errors.Is(err, ErrMagics) {
			t.Errorf("%q: %v", source, err)
		}
	}
	if _, err := f.Format(t.Context(), "x = (a\n  % b)\n# why?"); err != nil {
		t.Error(err)
	}
}

func TestWhatTheFormatterSaysIsTold(t *testing.T) {
	folder := program(t, "black", "cat >/dev/null; echo 'error: cannot parse: 1:3' >&2; echo more >&2; exit 123")
	f, err := Find("python", t.TempDir(), []string{folder}, path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Format(t.Context(), "x ="); err == nil || err.Error() != "black: error: cannot parse: 1:3" {
		t.Error(err)
	}
}

func TestGofmt(t *testing.T) {
	if _, err := exec.LookPath("gofmt"); err != nil {
		t.Skip("no gofmt")
	}
	f, err := Find("go", t.TempDir(), nil, path())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Format(t.Context(), "package a\nvar  x=1"); got != "package a\n\nvar x = 1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMoved(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"x=|1", "x = |1"},
		{"f(a,'b|c')", `f(a, "b|c")`},
		{"f(a|,b)", "f(\n    a|,\n    b,\n)"},
		{"|x=1", "|x = 1"},
		{"x=1|", "x = 1|"},
		{"if x :\n  |y", "if x:\n    |y"},
		{"x=f( )|", "x = f()|"},
		{"|", "|"},
		{"  |x", "|x"},
	} {
		source, to := strings.Replace(c.from, "|", "", 1), strings.Replace(c.to, "|", "", 1)
		at := Moved(source, to, strings.Index(c.from, "|"))
		if got := to[:at] + "|" + to[at:]; got != c.to {
			t.Errorf("%q: %q, want %q", c.from, got, c.to)
		}
	}
}
