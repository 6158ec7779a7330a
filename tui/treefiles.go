package tui

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/fileops"
	"github.com/nbterm/nbterm/tui/keymap"
	"github.com/nbterm/nbterm/tui/lineedit"
	"github.com/nbterm/nbterm/tui/tree"
)

// mostUndone is how much of what was done to files can be taken back.
const mostUndone = 50

// mostOwn is how many paths are remembered whose changes are no news, because we made them.
const mostOwn = 4 * mostUndone

// treeClip is what was copied or cut in the tree.
type treeClip struct {
	path string // "" for nothing
	cut  bool
}

// fileDoneMsg says how something done to files ended.
type fileDoneMsg struct {
	done  fileops.Done
	err   error
	taken bool                       // it took back what was done last
	then  func(fileops.Done) tea.Cmd // once it worked, nil for nothing
	fail  func(error) (tea.Cmd, bool)
}

func (m *Model) fileActions() map[keymap.Action]func() tea.Cmd {
	return map[keymap.Action]func() tea.Cmd{
		keymap.TreeNewNotebook: m.newNotebook,
		keymap.TreeNewFolder:   m.newFolder,
		keymap.TreeRename:      m.renameFile,
		keymap.TreeDelete:      m.deleteFile,
		keymap.TreeCopy:        quietly(func() { m.takeFile(false) }),
		keymap.TreeCut:         quietly(func() { m.takeFile(true) }),
		keymap.TreePaste:       m.pasteFile,
		keymap.TreeCopyPath:    m.copyPath,
		keymap.TreeUndo:        m.undoFile,
	}
}

// fileOps works on the files of the tree. Only this machine's have a trash.
func (m *Model) fileOps() fileops.Ops {
	o := fileops.Ops{FS: m.opt.Files}
	if trash := m.opt.Trash; trash != nil && !m.opt.Files.Capabilities().Remote {
		o.Trash = func(p string) (func() error, error) { return trash(filepath.FromSlash(p)) }
	}
	return o
}

// doFile does something to files away from this goroutine.
func (m *Model) doFile(msg fileDoneMsg, f func(context.Context, fileops.Ops) (fileops.Done, error)) tea.Cmd {
	ops := m.fileOps()
	return m.doFree(func(ctx context.Context) tea.Msg {
		msg.done, msg.err = f(ctx, ops)
		return msg
	})
}

// fileDone shows what was done, and reads the folders that it was done in.
func (m *Model) fileDone(msg fileDoneMsg) tea.Cmd {
	m.dirty = true
	if msg.err != nil {
		if msg.fail != nil {
			if cmd, handled := msg.fail(msg.err); handled {
				return cmd
			}
		}
		m.say(failure, plainError(msg.err))
		return nil
	}
	d, hint := msg.done, render.Sanitize(msg.done.What)
	m.tree.own = append(m.tree.own, d.Path, d.Moved, d.Deleted)
	m.tree.own = m.tree.own[max(len(m.tree.own)-mostOwn, 0):]
	if msg.taken {
		m.tree.done = m.tree.done[:max(len(m.tree.done)-1, 0)]
	} else {
		if d.Undo != nil {
			hint += "; " + m.table.Keys(keymap.Tree, keymap.TreeUndo) + " takes it back"
		}
		m.tree.done = append(m.tree.done, d)
		m.tree.done = m.tree.done[max(len(m.tree.done)-mostUndone, 0):]
	}
	m.setHint(hint)
	cmds := []tea.Cmd{m.followMove(d)}
	if t := m.tree.tree; t != nil && m.tree.open {
		if d.Path != "" {
			t.OpenTo(d.Path)
			m.tree.load.reveal = d.Path
		}
		cmds = append(cmds, m.watchTree(), m.listSoon(t.Want()...))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then(d))
	}
	return tea.Batch(cmds...)
}

// followMove lets open notebooks go on with their files where those were moved by us.
func (m *Model) followMove(d fileops.Done) tea.Cmd {
	if d.Moved == "" || m.opt.Files.Capabilities().Remote {
		return nil
	}
	var cmds []tea.Cmd
	m.eachTab(func() {
		own := m.ownSlashPath()
		if own != d.Moved && !isBelow(own, d.Moved) || own == "" || m.saving.active {
			return
		}
		cmds = append(cmds, m.moveTo(filepath.FromSlash(d.Path+strings.TrimPrefix(own, d.Moved))))
	})
	return tea.Batch(cmds...)
}

// moveTo makes another path the notebook's: its file lies there now.
func (m *Model) moveTo(name string) tea.Cmd {
	file := m.file.AsOf(m.file.Sum())
	file.Path = name
	m.fail(m.closeRecovery())
	m.file = file
	m.keeper.rec, m.keeper.waiting, m.keeper.holds, m.keeper.last = nil, false, false, notebook.Snapshot{}
	m.openRecovery()
	m.disk = disk{watcher: m.disk.watcher, looking: m.disk.looking, again: m.disk.again, said: m.disk.said}
	m.sayDisk("", "")
	return tea.Batch(m.watch(), m.keepCopy(), m.tellHost(m.session.Reloaded(diskfile.RealPath(name), m.fileSum())))
}

// askName opens a line for a name.
func (m *Model) askName(label, name string, keep func(string) tea.Cmd) tea.Cmd {
	line := &treeLine{label: label, note: "Enter does it, Esc does not"}
	line.text.Insert(name)
	line.keep = func(text string) tea.Cmd {
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		return keep(text)
	}
	m.openTreeLine(line)
	return nil
}

// newNotebook asks for a name, makes an empty notebook and opens it. A folder that is not
// expanded may have one of the proposed name: then the next free name is taken.
func (m *Model) newNotebook() tea.Cmd {
	t := m.tree.tree
	if t == nil {
		return nil
	}
	dir, n := t.Dir(), 0
	for _, there := t.Lookup(path.Join(dir, untitled(n))); there; _, there = t.Lookup(path.Join(dir, untitled(n))) {
		n++
	}
	return m.askNew("new notebook", untitled(n), func(text string) tea.Cmd {
		proposed := text == untitled(n)
		if !strings.EqualFold(path.Ext(text), ".ipynb") { // else the tree would not open it again
			text += ".ipynb"
		}
		var empty strings.Builder
		if _, err := notebook.New().Snapshot().WriteTo(&empty); err != nil {
			m.fail(err)
			return nil
		}
		msg := fileDoneMsg{then: func(d fileops.Done) tea.Cmd { return m.openNotebook(d.Path, false) }}
		return m.doFile(msg, func(ctx context.Context, o fileops.Ops) (fileops.Done, error) {
			d, err := o.NewFile(ctx, path.Join(dir, text), empty.String())
			for next := n + 1; proposed && errors.Is(err, fswatch.Exists) && ctx.Err() == nil; next++ {
				d, err = o.NewFile(ctx, path.Join(dir, untitled(next)), empty.String())
			}
			return d, err
		})
	})
}

// untitled is what the nth new notebook of a folder is called.
func untitled(n int) string {
	if n == 0 {
		return "Untitled.ipynb"
	}
	return "Untitled" + strconv.Itoa(n) + ".ipynb"
}

func (m *Model) newFolder() tea.Cmd {
	if m.tree.tree == nil {
		return nil
	}
	dir := m.tree.tree.Dir()
	return m.askNew("new folder", "", func(text string) tea.Cmd {
		return m.doFile(fileDoneMsg{}, func(ctx context.Context, o fileops.Ops) (fileops.Done, error) {
			return o.NewFolder(ctx, path.Join(dir, text))
		})
	})
}

// askNew opens a line for the name of something new, and says in which folder that will be.
func (m *Model) askNew(what, name string, keep func(string) tea.Cmd) tea.Cmd {
	if t := m.tree.tree; t.Dir() != t.Root() {
		what += " in " + render.Sanitize(strings.ToValidUTF8(path.Base(t.Dir()), "�")) + "/"
	}
	return m.askName(what+": ", name, keep)
}

// renameFile asks for another name, or another path.
func (m *Model) renameFile() tea.Cmd {
	p := m.treePath()
	if p == "" {
		return nil
	}
	var shown lineedit.Line // not each name can be typed as it is: taken unchanged it stays
	shown.Insert(path.Base(p))
	return m.askName("rename to: ", path.Base(p), func(text string) tea.Cmd {
		if text == strings.TrimSpace(shown.String()) {
			return nil
		}
		to := text
		if !path.IsAbs(to) {
			to = path.Join(path.Dir(p), to)
		}
		return m.moveFile(p, to, false)
	})
}

// moveFile moves something; a file that is there is asked about.
func (m *Model) moveFile(from, to string, replace bool) tea.Cmd {
	msg := fileDoneMsg{fail: func(err error) (tea.Cmd, bool) {
		if replace || !errors.Is(err, fswatch.Exists) {
			return nil, false
		}
		return m.ask(render.Sanitize(path.Base(to))+" exists already:",
			choice{action: keymap.AnswerOverwrite, label: "replace it", do: func() tea.Cmd { return m.moveFile(from, to, true) }}, back()), true
	}}
	return m.doFile(msg, func(ctx context.Context, o fileops.Ops) (fileops.Done, error) {
		return o.Move(ctx, from, to, replace)
	})
}

// deleteFile moves something to the trash; where there is none it asks.
func (m *Model) deleteFile() tea.Cmd {
	p := m.treePath()
	if p == "" {
		return nil
	}
	name := render.Sanitize(path.Base(p))
	remove := func(forGood bool) func(context.Context, fileops.Ops) (fileops.Done, error) {
		return func(ctx context.Context, o fileops.Ops) (fileops.Done, error) { return o.Delete(ctx, p, forGood) }
	}
	msg := fileDoneMsg{fail: func(err error) (tea.Cmd, bool) {
		if !errors.Is(err, fileops.ErrNoTrash) {
			return nil, false
		}
		what := name
		if e, ok := m.tree.tree.Lookup(p); ok && e.Kind == tree.Folder && !e.Is(tree.Link) {
			what += " and all that is in it"
		}
		return m.ask("there is no trash here; "+what+" would be gone for good:",
			choice{action: keymap.AnswerYes, label: "delete", do: func() tea.Cmd { return m.doFile(fileDoneMsg{}, remove(true)) }}, back()), true
	}}
	return m.doFile(msg, remove(false))
}

// takeFile remembers what is to be pasted.
func (m *Model) takeFile(cut bool) {
	p := m.treePath()
	if p == "" {
		return
	}
	m.tree.clip = treeClip{p, cut}
	marked := map[string]bool{}
	if cut {
		marked[p] = true
	}
	m.tree.tree.SetCut(marked)
	what := " copied; "
	if cut {
		what = " cut; "
	}
	m.setHint(render.Sanitize(path.Base(p)) + what + m.table.Keys(keymap.Tree, keymap.TreePaste) + " puts it into the folder at the cursor")
}

// pasteFile copies or moves what was taken into the folder at the cursor.
func (m *Model) pasteFile() tea.Cmd {
	clip, t := m.tree.clip, m.tree.tree
	if t == nil || clip.path == "" {
		m.setHint("nothing was copied or cut here")
		return nil
	}
	dir, name := t.Dir(), path.Base(clip.path)
	if dir == clip.path { // the cursor is still where it was taken: nothing goes into itself
		dir = path.Dir(clip.path)
	}
	if clip.cut {
		m.tree.clip = treeClip{}
		t.SetCut(nil)
		if dir == path.Dir(clip.path) {
			m.setHint(render.Sanitize(name) + " is there already")
			return nil
		}
		return m.moveFile(clip.path, path.Join(dir, name), false)
	}
	m.setHint("copying " + render.Sanitize(name))
	return m.doFile(fileDoneMsg{}, func(ctx context.Context, o fileops.Ops) (fileops.Done, error) {
		to, err := o.FreeName(ctx, dir, name)
		if err != nil {
			return fileops.Done{}, err
		}
		return o.Copy(ctx, clip.path, to)
	})
}

func (m *Model) copyPath() tea.Cmd {
	p := m.treePath()
	if p == "" {
		return nil
	}
	m.setHint("copied " + render.Sanitize(p))
	return m.toClipboard(p)
}

// undoFile takes back what was done to files last.
func (m *Model) undoFile() tea.Cmd {
	if len(m.tree.done) == 0 {
		m.setHint("nothing was done to files that could be taken back")
		return nil
	}
	last := m.tree.done[len(m.tree.done)-1]
	if last.Undo == nil {
		m.tree.done = m.tree.done[:len(m.tree.done)-1]
		m.setHint("this cannot be taken back: " + render.Sanitize(last.Why))
		return nil
	}
	return m.doFile(fileDoneMsg{taken: true}, func(ctx context.Context, _ fileops.Ops) (fileops.Done, error) {
		return takenBack(last), last.Undo(ctx)
	})
}

// takenBack is what taking back what was done comes to.
func takenBack(last fileops.Done) fileops.Done {
	back := fileops.Done{What: "taken back: " + last.What}
	switch {
	case last.Moved != "":
		back.Path, back.Moved = last.Moved, last.Path
	case last.Deleted != "":
		back.Path = last.Deleted
	default:
		back.Deleted = last.Path
	}
	return back
}

// treePath is the path at the cursor, "" where there is none.
func (m *Model) treePath() string {
	if m.tree.tree == nil {
		return ""
	}
	return m.tree.tree.Path()
}
