package tui

import (
	"context"
	"os"
	"path"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/fileops"
	"github.com/nbterm/nbterm/tui/keymap"
)

// filesFoundMsg brings the files of a host.
type filesFoundMsg struct {
	found FoundFiles
	err   error
}

func (m *Model) carryActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.TreeUpload:   m.upload,
		keymap.TreeDownload: m.download,
	}
}

// findFiles looks for the host's files, and opens the tree when they are there.
func (m *Model) findFiles() tea.Cmd {
	m.tree.finding = true
	m.setHint("looking for the files of the host")
	find, s := m.opt.FindFiles, m.session
	return m.doFree(func(ctx context.Context) tea.Msg {
		found, err := find(ctx, s.Remote)
		return filesFoundMsg{found, err}
	})
}

func (m *Model) filesFound(msg filesFoundMsg) tea.Cmd {
	m.tree.finding = false
	m.setHint("")
	if msg.err != nil {
		m.say(failure, plainError(msg.err))
		return nil
	}
	m.tree.found, m.opt.Files = msg.found, msg.found.FS
	return m.openTree()
}

// farFiles tells whether files have to be carried to and from the kernel, and says so where
// not.
func (m *Model) farFiles() bool {
	if m.tree.tree == nil {
		return false
	}
	if !m.opt.Files.Capabilities().Remote || m.opt.Local == nil {
		m.setHint("these files are on this machine already")
		return false
	}
	return true
}

// upload asks for a file of this machine and copies it into the folder at the cursor.
func (m *Model) upload() tea.Cmd {
	if !m.farFiles() {
		return nil
	}
	dir, here := m.tree.tree.Dir(), m.opt.Local
	start, _ := os.Getwd() // it begins empty where there is none
	return m.askName("upload: ", filepath.Join(start, "x")[:len(filepath.Join(start, "x"))-1], func(text string) tea.Cmd {
		from := filepath.ToSlash(inHome(text, m.opt.getenv("HOME")))
		m.setHint("uploading " + render.Sanitize(path.Base(from)))
		return m.doFile(fileDoneMsg{}, func(ctx context.Context, o fileops.Ops) (fileops.Done, error) {
			return o.CopyFrom(ctx, here, from, path.Join(dir, path.Base(from)))
		})
	})
}

// download copies what is at the cursor to this machine.
func (m *Model) download() tea.Cmd {
	p := m.treePath()
	if p == "" || !m.farFiles() {
		return nil
	}
	there, here := m.opt.Files, m.opt.Local
	start, _ := os.Getwd() // likewise
	return m.askName("download to: ", filepath.Join(start, path.Base(p)), func(text string) tea.Cmd {
		to := filepath.ToSlash(inHome(text, m.opt.getenv("HOME")))
		m.setHint("downloading " + render.Sanitize(path.Base(p)))
		return m.doFree(func(ctx context.Context) tea.Msg {
			d, err := fileops.Ops{FS: here}.CopyFrom(ctx, there, p, to)
			d.Path = "" // it is not in this tree
			return fileDoneMsg{done: d, err: err}
		})
	})
}
