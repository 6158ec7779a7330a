package tui

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/tui/tree"
	"github.com/nbterm/nbterm/tui/treelist"
)

// treeLoad is how the tree's folders are read and watched.
type treeLoad struct {
	reader  *treelist.Reader
	watcher fswatch.Watcher
	polls   bool            // the user was told that changes are looked for
	serial  int             // of the newest reading
	newest  map[string]int  // of each folder that is being read
	due     map[string]due  // folders to be read once the present ones are
	first   map[string]bool // folders whose first rows are being read: what is due of them waits
	active  bool            // a reading of those is under way
	forget  bool            // marks of changes
	reveal  string          // a path that the cursor is to go to once it is listed
}

// due is what is to be read of a folder: the entries of these names, nil for all.
type due map[string]bool

type (
	// treeRootMsg says where the tree begins.
	treeRootMsg struct {
		root string
		err  error
	}
	// treeListedMsg brings listings.
	treeListedMsg struct {
		files  fswatch.FS
		listed []listedFolder
		due    bool // of those that were due
	}
	listedFolder struct {
		ask    treelist.Ask
		serial int
		tree.Listing
		rules bool // .gitignore changed
	}
	// treeChangedMsg tells of folders that changed.
	treeChangedMsg struct {
		watcher fswatch.Watcher
		fswatch.Change
	}
)

// readAtOnce is how many folders are read before what was found is shown.
const readAtOnce = 64

// treeRoot is where the tree begins: where it was told to, else the notebook's folder; ""
// where that is for the files to say.
func (m *Model) treeRoot() string {
	if m.opt.TreeRoot != "" || m.opt.Files.Capabilities().Remote {
		return m.opt.TreeRoot
	}
	if own := m.ownSlashPath(); own != "" {
		return path.Dir(own)
	}
	return "" // this machine's begin at the working folder
}

// ownSlashPath is the notebook's path as the tree writes it, "" if it is not on this machine.
func (m *Model) ownSlashPath() string {
	if m.file == nil || diskfile.IsRemote(m.file.Path) {
		return ""
	}
	return slashPath(m.file.Path)
}

// slashPath is a path of this machine as the tree writes it.
func slashPath(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(abs)
}

func (m *Model) findTreeRoot(root string) tea.Cmd {
	files := m.opt.Files
	return m.doFree(func(ctx context.Context) tea.Msg {
		var err error
		if root == "" {
			root, err = files.Root(ctx)
		}
		return treeRootMsg{root, err}
	})
}

// treeRooted begins the tree.
func (m *Model) treeRooted(msg treeRootMsg) tea.Cmd {
	m.dirty = true
	if msg.err != nil {
		m.fail(msg.err)
		m.closeTree()
		return nil
	}
	m.tree.tree = tree.New(path.Clean(msg.root))
	m.tree.load.reader = treelist.New(m.opt.Files, m.tree.tree.Root())
	m.tree.load.reveal = m.ownSlashPath()
	m.layout()
	if !m.tree.open {
		return nil
	}
	return m.wantAll()
}

// setTreeRoot shows another folder at the top.
func (m *Model) setTreeRoot(root string) tea.Cmd {
	m.tree.tree.SetRoot(root)
	m.tree.load.reader.SetRoot(root)
	m.dirty = true
	return m.wantAll()
}

// wantAll reads and watches all folders that the tree shows.
func (m *Model) wantAll() tea.Cmd {
	want := m.tree.tree.Want()
	return tea.Batch(m.watchTree(), m.listFirst(want[0]), m.listSoon(want[1:]...))
}

// watchTree watches the folders that the tree shows now, and no others.
func (m *Model) watchTree() tea.Cmd {
	l := &m.tree.load
	if m.opt.WatchFiles == nil {
		return nil
	}
	var next tea.Cmd
	if l.watcher == nil {
		l.watcher = m.opt.WatchFiles(m.opt.Files)
		next = m.nextTreeChange()
	}
	l.watcher.Want(m.tree.tree.Want())
	return next
}

// close ends watching. What is being read is let be when it comes.
func (l *treeLoad) close() {
	if l.watcher != nil {
		_ = l.watcher.Close() // it only lets go
		l.watcher = nil
	}
	l.due, l.newest, l.first = nil, nil, nil
}

func (l *treeLoad) mode() (fswatch.Mode, error) {
	if l.watcher == nil {
		return "", nil
	}
	return l.watcher.Mode()
}

func (m *Model) nextTreeChange() tea.Cmd {
	w := m.tree.load.watcher
	return m.free.background(func(ctx context.Context) tea.Msg {
		c, err := w.Next(ctx)
		if err != nil {
			return nil
		}
		return treeChangedMsg{w, c}
	})
}

// treeChanged reads what changed.
func (m *Model) treeChanged(msg treeChangedMsg) tea.Cmd {
	l := &m.tree.load
	if msg.watcher != l.watcher {
		return nil
	}
	if mode, why := l.mode(); mode == fswatch.ModePoll && why != nil && !l.polls {
		l.polls = true
		m.say(info, "changes of the files are looked for every two seconds, because the system does not tell of them: "+why.Error())
	}
	for _, dir := range msg.Dirty {
		if names, known := msg.Names[dir]; known {
			l.add(dir, names)
		} else {
			l.addAll(dir)
		}
	}
	return tea.Batch(m.listSoon(), m.nextTreeChange())
}

// asks says what to read of a folder, and makes older readings of it void.
func (m *Model) asks(dir string, quick bool) listedFolder {
	l := &m.tree.load
	l.serial++
	if l.newest == nil {
		l.newest = map[string]int{}
	}
	l.newest[dir] = l.serial
	a := treelist.Ask{Dir: dir, Order: m.tree.tree.Order(), Old: m.tree.tree.Entries(dir), Keep: m.ownChanges(), Quick: quick}
	if l.forget {
		a.Old = nil
	}
	return listedFolder{ask: a, serial: l.serial}
}

// ownChanges are the paths whose changes are no news: of the open notebooks, and what was
// done here last, or taken back.
func (m *Model) ownChanges() []string {
	var own []string
	for _, t := range m.tabs {
		switch place := m.tree.found.Place; {
		case t.file == nil:
		case !diskfile.IsRemote(t.file.Path):
			own = append(own, slashPath(t.file.Path))
		case place != "" && strings.HasPrefix(t.file.Path, place+"/"):
			own = append(own, t.file.Path[len(place):])
		}
	}
	return append(own, m.tree.own...)
}

// listFirst reads a folder that somebody waits for: of a large one the names first.
func (m *Model) listFirst(dir string) tea.Cmd {
	quick := m.tree.tree.Entries(dir) == nil
	if l := &m.tree.load; quick {
		if l.first == nil {
			l.first = map[string]bool{}
		}
		l.first[dir] = true
	}
	return m.readFolders(false, m.asks(dir, quick))
}

// add makes some entries of a folder due.
func (l *treeLoad) add(dir string, names []string) {
	is, there := l.due[dir]
	if there && is == nil {
		return
	}
	if !there {
		l.addAll(dir)
		is = make(due, len(names))
		l.due[dir] = is
	}
	for _, name := range names {
		is[name] = true
	}
}

// addAll makes a folder due.
func (l *treeLoad) addAll(dir string) {
	if l.due == nil {
		l.due = map[string]due{}
	}
	l.due[dir] = nil
}

// listSoon reads folders, and what is due, one after the other.
func (m *Model) listSoon(dirs ...string) tea.Cmd {
	l := &m.tree.load
	for _, dir := range dirs {
		l.addAll(dir)
	}
	if l.active {
		return nil
	}
	batch := m.takeDue()
	if len(batch) == 0 {
		return nil
	}
	l.active = true
	return m.readFolders(true, batch...)
}

// takeDue is what to read next of what is due.
func (m *Model) takeDue() []listedFolder {
	l := &m.tree.load
	var batch []listedFolder
	for dir, names := range l.due {
		if l.first[dir] {
			continue
		}
		delete(l.due, dir)
		if !m.tree.tree.Expanded(dir) {
			continue
		}
		reading := l.newest[dir] != 0 // which is void now: it may have had other changes
		f := m.asks(dir, false)
		if names != nil && !reading {
			f.ask.Names = slices.Sorted(maps.Keys(names))
		}
		if batch = append(batch, f); len(batch) == readAtOnce {
			break
		}
	}
	return batch
}

func (m *Model) readFolders(due bool, folders ...listedFolder) tea.Cmd {
	reader, files := m.tree.load.reader, m.opt.Files
	return m.doFree(func(ctx context.Context) tea.Msg {
		for i := range folders {
			f := &folders[i]
			f.Listing, f.rules = reader.Read(ctx, f.ask)
		}
		return treeListedMsg{files, folders, due}
	})
}

// treeListed shows listings. Those of before a newer reading was asked for are let be.
func (m *Model) treeListed(msg treeListedMsg) tea.Cmd {
	l, t := &m.tree.load, m.tree.tree
	if msg.due {
		l.active = false
	}
	if !m.tree.open || msg.files != m.opt.Files {
		return nil
	}
	var cmds []tea.Cmd
	fresh := map[string]tree.Listing{}
	for _, f := range msg.listed {
		if f.ask.Quick {
			delete(l.first, f.ask.Dir)
		}
		if l.newest[f.ask.Dir] != f.serial {
			continue
		}
		delete(l.newest, f.ask.Dir)
		fresh[f.ask.Dir] = f.Listing
		switch {
		case f.Partial:
			delete(l.due, f.ask.Dir)
			cmds = append(cmds, m.readFolders(false, m.asks(f.ask.Dir, false)))
		case f.ask.Order != t.Order():
			cmds = append(cmds, m.listSoon(f.ask.Dir))
		case f.rules:
			cmds = append(cmds, m.listBelow(f.ask.Dir))
		}
	}
	t.SetMany(fresh)
	if l.reveal != "" && t.Reveal(l.reveal) {
		l.reveal = ""
	}
	m.dirty = true
	if len(l.due) == 0 {
		l.forget = false
	}
	return tea.Batch(append(cmds, m.watchTree(), m.listSoon())...)
}

// listBelow reads the expanded folders below one.
func (m *Model) listBelow(dir string) tea.Cmd {
	var below []string
	for _, d := range m.tree.tree.Want() {
		if d != dir && isBelow(d, dir) {
			below = append(below, d)
		}
	}
	return m.listSoon(below...)
}
