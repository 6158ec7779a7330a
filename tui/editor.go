package tui

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
)

// editedMsg says that the external editor ended.
type editedMsg struct {
	key  notebook.CellKey
	path string // of the temporary file
	old  string // what was in it at first
	err  error
}

// edit opens the selected cell in the user's editor; Enter on a cell with an open
// input() goes back to its line instead.
func (m *Model) edit() tea.Cmd {
	c := m.cell()
	if c == nil || m.backToPrompt() {
		return nil
	}
	if why := m.doc.ReadOnly(); why != "" {
		m.say(failure, "the notebook is read-only: "+why)
		return nil
	}
	path, err := writeTemp(c.cell.Source, m.extension(c.cell.Type))
	if err != nil {
		m.fail(fmt.Errorf("the cell cannot be handed to an editor: %w", err))
		return nil
	}
	m.editor.set(editorCommand(m.opt, path))
	m.pending++
	key, old := c.key, c.cell.Source
	return tea.Exec(m.editor, func(err error) tea.Msg { return doneMsg{editedMsg{key, path, old, err}} })
}

// edited takes over what the editor left. A final newline that the editor added is none of the cell's.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	defer func() { _ = os.Remove(msg.path) }()
	m.dirty = true
	if msg.err != nil {
		m.fail(fmt.Errorf("the editor failed, the cell is as it was: %w", msg.err))
		return nil
	}
	data, err := os.ReadFile(msg.path)
	if err != nil {
		m.fail(fmt.Errorf("what the editor wrote cannot be read: %w", err))
		return nil
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if !strings.HasSuffix(msg.old, "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	if text == msg.old || m.doc.Cell(msg.key) == nil {
		return nil
	}
	if m.change("edit the cell", notebook.SetSource{Key: msg.key, Source: text}) {
		m.selectCell(m.doc.Index(msg.key))
	}
	return nil
}

// writeTemp makes a file that only the user can read.
func writeTemp(text, ext string) (path string, err error) {
	f, err := os.CreateTemp("", "nbterm-cell-*"+ext)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// extension lets the editor know the language.
func (m *Model) extension(t notebook.CellType) string {
	switch t {
	case notebook.Markdown:
		return ".md"
	case notebook.Code:
	default:
		return ".txt"
	}
	ext := map[string]string{
		"": ".py", "python": ".py", "r": ".R", "julia": ".jl", "bash": ".sh", "shell": ".sh", "javascript": ".js",
		"typescript": ".ts", "go": ".go", "rust": ".rs", "c++": ".cpp", "java": ".java", "ruby": ".rb", "sql": ".sql",
	}[strings.ToLower(m.doc.Language())]
	if ext == "" {
		return ".txt"
	}
	return ext
}

// editorCommand is $VISUAL, else $EDITOR, else vi or nano. The variables hold a command
// line for the shell, as git and others take it.
func editorCommand(o Options, path string) *exec.Cmd {
	line := o.getenv("VISUAL")
	if line == "" {
		line = o.getenv("EDITOR")
	}
	if line == "" {
		line = "vi"
		if _, err := exec.LookPath("vi"); err != nil {
			line = "nano"
		}
	}
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		fields := strings.Fields(line)
		cmd = exec.Command(fields[0], append(fields[1:], path)...)
	} else {
		cmd = exec.Command("/bin/sh", "-c", line+` "$1"`, "sh", path)
	}
	cmd.Env = o.Env
	cmd.Dir = filepath.Dir(path)
	return cmd
}

// editorRun is an editor with the terminal in its hands. While it runs the event loop
// stands still, so a signal to us is passed on to it through stop.
type editorRun struct {
	mu  sync.Mutex // guards all below
	cmd *exec.Cmd
	run bool
}

func (e *editorRun) set(cmd *exec.Cmd) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cmd = cmd
}

// SetStdin implements tea.ExecCommand. A pipe is not passed on: waiting for the editor
// would then wait for the pipe.
func (e *editorRun) SetStdin(r io.Reader) {
	if f, ok := r.(gateFile); ok {
		e.cmd.Stdin = f.File
	}
}

// SetStdout implements tea.ExecCommand.
func (e *editorRun) SetStdout(w io.Writer) { e.cmd.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (e *editorRun) SetStderr(w io.Writer) { e.cmd.Stderr = w }

// Run implements tea.ExecCommand.
func (e *editorRun) Run() error {
	e.mu.Lock()
	err := e.cmd.Start()
	e.run = err == nil
	e.mu.Unlock()
	if err != nil {
		return err
	}
	err = e.cmd.Wait()
	e.mu.Lock()
	e.run = false
	e.mu.Unlock()
	return err
}

// stop ends the editor that runs, if one does, with a signal it can catch.
func (e *editorRun) stop(sig os.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run {
		_ = e.cmd.Process.Signal(sig) // it may have ended just now
	}
}

func (e *editorRun) running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run
}
