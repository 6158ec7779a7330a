package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// kernelFolderMsg says which folder the tree is to show for the kernel's, and how it was found.
type kernelFolderMsg struct {
	dir, hint string
	err       error // the tree stays where it is
}

// treeToKernel makes the kernel's working folder the tree's root. Of a kernel on this machine
// the system knows it, whatever its code does; another one is asked, which shows nowhere. Where
// neither tells it is the folder in which the kernel begins.
func (m *Model) treeToKernel() tea.Cmd {
	if m.tree.tree == nil {
		return nil
	}
	s, started := m.session, m.session.Started()
	if files := m.opt.Files; files.Capabilities().Remote {
		return m.doFree(func(ctx context.Context) tea.Msg { return hostFolder(ctx, s, files) })
	}
	pid, dir, far, shell := s.PID(), m.folder(), s.Far(), isShell(m.doc.Language())
	return m.doFree(func(ctx context.Context) tea.Msg {
		switch {
		case far:
			return kernelFolderMsg{dir: dir, hint: elsewhere(ctx, s) + "; this is the notebook's folder"}
		case !started:
			return kernelFolderMsg{dir: dir, hint: "no kernel of this machine runs; it will begin here"}
		}
		return localFolder(ctx, s, pid, shell, dir)
	})
}

// localFolder is the folder of a kernel on this machine that began in dir. With shell its
// language is a shell's.
func localFolder(ctx context.Context, s *session.Session, pid int, shell bool, dir string) kernelFolderMsg {
	const here = "the kernel is here"
	if now, ok := processFolder(pid, shell); ok {
		return kernelFolderMsg{dir: now, hint: here}
	}
	now, err := s.KernelFolder(ctx)
	if err != nil {
		return kernelFolderMsg{dir: dir, hint: untold(err) + "; this is where it began"}
	}
	return kernelFolderMsg{dir: now, hint: here}
}

// processFolder is where the system says that a kernel's process is. A kernel of a shell may
// be another program that has a shell of its own below it: then that one's folder counts.
func processFolder(pid int, shell bool) (string, bool) {
	if pid <= 0 {
		return "", false
	}
	if shell && !isShell(programOf(pid)) {
		if pid = shellBelow(pid); pid == 0 {
			return "", false
		}
	}
	now, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil || !isDir(now) { // of a folder that was deleted the link names something else
		return "", false
	}
	return now, true
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// programOf is what the system calls a process, "" where it does not tell.
func programOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSuffix(string(name), "\n")
}

// shellBelow is the newest shell that a process started itself, 0 for none.
func shellBelow(pid int) int {
	found := 0
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is no bad one
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil && isShell(programOf(child)) {
				found = child
			}
		}
	}
	return found
}

// isShell knows the names of shells, as languages and as programs.
func isShell(name string) bool {
	switch strings.ToLower(name) {
	case "bash", "dash", "ksh", "sh", "shell", "zsh":
		return true
	}
	return false
}

// hostFolder is the kernel's folder among its host's files. Only files with permission bits
// are the host's own, under the paths that the kernel knows; others begin at a folder that
// their server does not tell.
func hostFolder(ctx context.Context, s *session.Session, files fswatch.FS) kernelFolderMsg {
	root, err := files.Root(ctx)
	if err != nil {
		return kernelFolderMsg{err: err}
	}
	now, err := s.KernelFolder(ctx)
	if err != nil {
		return kernelFolderMsg{dir: root, hint: untold(err) + "; the host's files begin here"}
	}
	if files.Capabilities().Modes {
		if e, err := files.Stat(ctx, now); err == nil && e.Type == fswatch.TypeDir {
			return kernelFolderMsg{dir: now, hint: "the kernel is here"}
		}
	}
	return kernelFolderMsg{dir: root, hint: "the kernel is in " + render.Sanitize(now) + "; the host's files begin here"}
}

// elsewhere says where a kernel is that is not on the tree's machine.
func elsewhere(ctx context.Context, s *session.Session) string {
	now, err := s.KernelFolder(ctx)
	if err != nil {
		return "the kernel is on another machine"
	}
	return "the kernel is on another machine, in " + render.Sanitize(now)
}

// untold says why a kernel did not tell where it is.
func untold(err error) string {
	if errors.Is(err, kernelclient.ErrBusy) {
		return "the kernel is busy and cannot be asked where it is"
	}
	return "the kernel does not tell where it is"
}

func (m *Model) kernelFolderFound(msg kernelFolderMsg) tea.Cmd {
	m.dirty = true
	switch {
	case m.tree.tree == nil:
		return nil // closed meanwhile
	case msg.err != nil:
		m.fail(msg.err)
		return nil
	case msg.dir == "":
		m.setHint("no kernel runs here, and the notebook is in no folder of this machine")
		return nil
	}
	m.setHint(msg.hint)
	return m.setTreeRoot(filepath.ToSlash(msg.dir))
}
