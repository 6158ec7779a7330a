package unsandboxtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// pretend understands a few forms of programs without running anything.
func pretend(p program) (res result, asleep time.Duration) {
	res.artifacts = map[string][]byte{}
	for line := range strings.Lines(p.Code) {
		line = strings.TrimSpace(line)
		for _, form := range []string{`^print\((?:'([^']*)'|"([^"]*)"|(\d+))\)$`, `^console\.log\((?:'([^']*)'|"([^"]*)"|(\d+))\)$`} {
			if m := regexp.MustCompile(form).FindStringSubmatch(line); m != nil {
				res.stdout += m[1] + m[2] + m[3] + "\n"
			}
		}
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "echo" && rest == "$LANGUAGE":
			res.stdout += p.Language + "\n"
		case word == "echo" && strings.HasPrefix(rest, "$"):
			res.stdout += p.Env[rest[1:]] + "\n"
		case word == "echo":
			res.stdout += rest + "\n"
		case word == "warn":
			res.stderr += rest + "\n"
		case word == "exit":
			res.exit, _ = strconv.Atoi(rest)
		case word == "sleep":
			seconds, _ := strconv.ParseFloat(rest, 64)
			asleep += time.Duration(seconds * float64(time.Second))
		case strings.HasPrefix(line, "artifact:") && p.Artifact:
			name, content, _ := strings.Cut(strings.TrimPrefix(line, "artifact:"), "=")
			res.artifacts[name] = []byte(content)
		case strings.HasPrefix(line, "/tmp/input/"):
			res.stdout += inputOf(p, strings.TrimPrefix(line, "/tmp/input/"))
		}
	}
	return res, asleep
}

func inputOf(p program, name string) string {
	for _, f := range p.Files {
		if f.Filename == name {
			b, _ := base64.StdEncoding.DecodeString(f.Content)
			return string(b)
		}
	}
	return ""
}

// process is a program that runs on this machine.
type process struct {
	done   chan struct{}
	result result // set before done is closed
	cancel context.CancelFunc
	once   sync.Once
}

func (p *process) kill() { p.once.Do(p.cancel) }

// run starts a program in a folder of its own. s.mu is held.
func (s *Server) run(p program, ttl time.Duration) *process {
	ctx, cancel := context.WithTimeout(context.Background(), ttl)
	x := &process{done: make(chan struct{}), cancel: cancel}
	s.wg.Go(func() {
		defer close(x.done)
		defer cancel()
		x.result = s.runIn(ctx, p)
		x.result.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
		if x.result.timedOut {
			x.result.exit = 124
			x.result.stderr += "time limit reached\n"
		}
	})
	return x
}

func (s *Server) runIn(ctx context.Context, p program) (res result) {
	dir, err := os.MkdirTemp(s.dir, "job-")
	if err != nil {
		return result{stderr: err.Error(), exit: 1}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	code, err := place(dir, p.Code, p.Files)
	name, argv := "main.py", []string{s.opt.Python, "-S", filepath.Join(dir, "main.py")}
	if p.Language == "bash" {
		name, argv = "main.sh", []string{"bash", filepath.Join(dir, "main.sh")}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), []byte(code), 0o600)
	}
	if err != nil {
		return result{stderr: err.Error(), exit: 1}
	}
	cmd := command(ctx, argv)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONIOENCODING=utf-8")
	for k, v := range p.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return result{stderr: err.Error(), exit: 127}
	}
	res = result{stdout: stdout.String(), stderr: stderr.String(), exit: cmd.ProcessState.ExitCode()}
	if p.Artifact {
		res.artifacts = filesIn(filepath.Join(dir, "artifacts"))
	}
	return res
}

// place puts the input files where a program finds them, and returns text with the paths of
// the service's containers as they are here.
func place(dir, code string, files []inputFile) (string, error) {
	input, artifacts := filepath.Join(dir, "input"), filepath.Join(dir, "artifacts")
	for _, d := range []string{input, artifacts} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return "", err
		}
	}
	for _, f := range files {
		b, err := base64.StdEncoding.Strict().DecodeString(f.Content)
		if err == nil {
			err = os.WriteFile(filepath.Join(input, filepath.Base(f.Filename)), b, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return strings.NewReplacer("/tmp/input", input, "/tmp/artifacts", artifacts).Replace(code), nil
}

func filesIn(dir string) map[string][]byte {
	out := map[string][]byte{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if b, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			out[e.Name()] = b
		}
	}
	return out
}

// command is a process that is killed with all that it started when ctx ends.
func command(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = 5 * time.Second
	inGroup(cmd)
	return cmd
}
