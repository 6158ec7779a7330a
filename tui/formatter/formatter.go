package formatter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// patience is how long a formatter may take.
const patience = 20 * time.Second

// ErrMagics says that a source has lines that are not the language's but the kernel's, such
// as %magics and !commands: no formatter knows them.
var ErrMagics = errors.New("it has lines with magics or shell commands, which no formatter knows")

// MissingError says that no formatter of a language is installed.
type MissingError struct {
	Language string   // for people
	Programs []string // those that would do
}

// Error implements error; it says what to install.
func (e *MissingError) Error() string {
	if len(e.Programs) == 0 {
		return fmt.Sprintf("no formatter for %s is known here", e.Language)
	}
	return fmt.Sprintf("no formatter for %s was found: install %s, in the notebook's environment or on PATH",
		e.Language, strings.Join(e.Programs, " or "))
}

// command is a formatter that reads the source and writes the formatted one. DIR in args
// is the notebook's folder, whose settings count.
type command struct {
	program string
	args    []string
}

// commands are the formatters of a language, the preferred one first.
func commands(language string) []command {
	prettier := func(name string) []command {
		return []command{{"prettier", []string{"--stdin-filepath", filepath.Join("DIR", name)}}}
	}
	switch language {
	case "python":
		name := filepath.Join("DIR", "cell.py")
		return []command{
			{"ruff", []string{"format", "--stdin-filename", name, "-"}},
			{"black", []string{"-q", "--stdin-filename", name, "-"}},
		}
	case "go":
		return []command{{"gofmt", nil}}
	case "rust":
		return []command{{"rustfmt", []string{"--emit", "stdout"}}}
	case "bash", "sh", "shell":
		return []command{{"shfmt", []string{"-"}}}
	case "c++", "c":
		return []command{{"clang-format", []string{"--assume-filename", filepath.Join("DIR", "cell.cpp")}}}
	case "javascript":
		return prettier("cell.js")
	case "typescript":
		return prettier("cell.ts")
	}
	return nil
}

// Formatter is a program that was found.
type Formatter struct {
	Name     string // such as "ruff"
	language string
	path     string
	args     []string
	dir      string
	env      []string
}

// Find looks for a formatter of a language, named as language_info.name or a kernelspec
// does: in folders of programs first, then on PATH of env. dir is the notebook's folder. It
// fails with a *MissingError.
func Find(language, dir string, folders, env []string) (*Formatter, error) {
	name := strings.ToLower(language)
	missing := &MissingError{Language: "this language"}
	if name != "" {
		missing.Language = strings.ToUpper(language[:1]) + language[1:]
	}
	path := ""
	for _, kv := range env {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = p // as in a system's environment, the last one counts
		}
	}
	folders = append(folders[:len(folders):len(folders)], filepath.SplitList(path)...)
	for _, c := range commands(name) {
		missing.Programs = append(missing.Programs, c.program)
		for _, folder := range folders {
			path, err := exec.LookPath(filepath.Join(folder, c.program))
			if err != nil || !filepath.IsAbs(path) {
				continue
			}
			f := &Formatter{Name: c.program, language: name, path: path, dir: dir, env: env}
			for _, arg := range c.args {
				f.args = append(f.args, strings.Replace(arg, "DIR", dir, 1))
			}
			return f, nil
		}
	}
	return nil, missing
}

// Programs is the folder of an environment that has its programs.
func Programs(environment string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(environment, "Scripts")
	}
	return filepath.Join(environment, "bin")
}

// Format returns the formatted source, without a line end at its end unless it had one. It
// fails with ErrMagics, or with what the program says of the source. It may be called from
// any goroutine.
func (f *Formatter) Format(ctx context.Context, source string) (string, error) {
	if f.language == "python" && magic().MatchString(source) || strings.HasPrefix(source, "%%") {
		return "", ErrMagics
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, f.path, f.args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(source), &out, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", f.failed(ctx, err, said.String())
	}
	return f.like(source, strings.ReplaceAll(out.String(), "\r\n", "\n")), nil
}

// magic finds lines that IPython reads before Python does.
func magic() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*(%{1,2}[A-Za-z_]|!|\?{1,2}[A-Za-z_]|[\w.]+\s*\?{1,2}\s*$|[\w, ]+=\s*(!|%[A-Za-z_]))`)
}

// failed makes one line of what the program said.
func (f *Formatter) failed(ctx context.Context, err error, said string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s did not end within %v", f.Name, patience)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line = strings.TrimSpace(line); line == "" {
		line = err.Error()
	}
	return fmt.Errorf("%s: %s", f.Name, line)
}

// like ends a formatted text as the source ended: line ends, and the semicolon that keeps
// a notebook from showing the last value.
func (f *Formatter) like(source, text string) string {
	text = strings.TrimRight(text, "\n")
	bare := strings.TrimRight(source, " \t\n")
	if f.language == "python" && strings.HasSuffix(bare, ";") && text != "" && !strings.HasSuffix(text, ";") {
		text += ";"
	}
	if strings.HasSuffix(source, "\n") && text != "" {
		text += "\n"
	}
	return text
}
