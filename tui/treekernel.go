package tui

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/tree"
)

// runningPathsMsg brings the notebooks that have a kernel.
type runningPathsMsg struct{ paths []string }

func (m *Model) treeKernelActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.TreeToKernel: m.treeToKernel,
		keymap.TreeInsert:   m.insertPath,
		keymap.TreeShell:    m.openShell,
	}
}

// insertPath puts code that opens the file into the selected cell, at its cursor. Where none
// is of code a new one takes it.
func (m *Model) insertPath() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	p, e, ok := t.Current()
	if !ok {
		return nil
	}
	if dir := filepath.ToSlash(m.folder()); dir != "" && isBelow(p, dir) {
		p = strings.TrimPrefix(p, dir+"/")
	}
	code := snippet(m.look.language, p, e.Kind == tree.Folder)
	m.leaveTree()
	if c := m.cell(); c == nil || c.cell.Type != notebook.Code {
		if cmd := m.act(keymap.InsertBelow); cmd != nil {
			return cmd
		}
	}
	if m.enterEdit() {
		m.pasteText(code)
	}
	return nil
}

// snippet is code that opens a file in a language; of others, and for a folder, it is the
// path as text.
func snippet(language, p string, folder bool) string {
	quoted, _ := json.Marshal(strings.ToValidUTF8(p, "�")) // a string can always be written
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
	shell := "'" + strings.ReplaceAll(p, "'", `'\''`) + "'"
	switch strings.ToLower(language) {
	case "bash", "sh", "shell", "zsh":
		if folder {
			return "ls " + shell
		}
		return "cat " + shell
	case "r":
		if folder {
			return "list.files(" + text + ")"
		}
		return "readLines(" + text + ")"
	case "javascript", "typescript":
		if !folder {
			return `require("fs").readFileSync(` + text + `, "utf8")`
		}
	case "python", "julia", "":
		if !folder {
			return "open(" + text + ")"
		}
	}
	return text
}

// openShell opens a notebook of the shell kernel in the folder at the cursor.
func (m *Model) openShell() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	if m.opt.Open == nil || m.opt.Files.Capabilities().Remote {
		m.setHint("a shell can be opened in folders of this machine only")
		return nil
	}
	dir := t.Dir()
	m.setHint("a shell in " + render.Sanitize(dir))
	ask := OpenAsk{Path: filepath.FromSlash(path.Join(dir, "shell.ipynb")), Kernel: "builtin-shell", New: true}
	open := m.opt.Open
	return m.doFree(func(ctx context.Context) tea.Msg {
		o, err := open(ctx, ask)
		return openedMsg{path: ask.Path, opened: o, err: err}
	})
}

// findRunningPaths asks which notebooks have a kernel in the host process.
func (m *Model) findRunningPaths() tea.Cmd {
	find := m.opt.RunningPaths
	if find == nil || m.opt.Files.Capabilities().Remote {
		return nil
	}
	return m.doFree(func(ctx context.Context) tea.Msg { return runningPathsMsg{find(ctx)} })
}

// markRunning marks the notebooks that have a kernel: those that the host process told, and
// the open ones.
func (m *Model) markRunning() {
	t := m.tree.tree
	if t == nil {
		return
	}
	paths := slices.Clone(m.tree.running)
	for _, tab := range m.tabs {
		if tab.session.Started() && tab.file != nil {
			paths = append(paths, slashPath(tab.file.Path))
		}
	}
	marked := map[string]bool{}
	for _, p := range paths {
		marked[p] = true
	}
	t.SetRunning(marked)
}
