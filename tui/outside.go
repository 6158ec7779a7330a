package tui

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

// Watcher tells when the file may have changed; fswatch.File is one.
type Watcher interface {
	Next(context.Context) error // io.EOF after Close
	Close() error
}

// disk is how the file on disk stands to the document.
type disk struct {
	watcher Watcher
	looking bool
	again   bool // another look was asked for meanwhile
	state   diskfile.State
	newName string // of a file that was renamed
	theirs  *theirs
	due     bool   // theirs is to be taken or asked about once the keyboard is free
	asked   bool   // the user was asked; it is not asked again until a save
	mine    []byte // sum of the version that the user said "mine" to
	said    string // the message about the state, to be taken away when it is no longer true
}

// theirs is another program's version of the file.
type theirs struct {
	doc  *notebook.Document
	file *diskfile.File
	sum  []byte
	err  error // it is no notebook
}

type (
	// lookedMsg is what a look at the disk found.
	lookedMsg struct {
		file     *diskfile.File // that was looked at
		state    diskfile.State
		newName  string
		theirs   *theirs
		readOnly bool
		err      error
	}
	diskEventMsg struct{ watcher Watcher }
)

// watch begins to watch the file, instead of the one before.
func (m *Model) watch() tea.Cmd {
	m.unwatch()
	begin := m.watchFile
	if begin == nil {
		begin = m.opt.Watch
	}
	if begin == nil || m.file == nil {
		return nil
	}
	m.disk.watcher = begin(m.file.Path)
	return m.nextDiskEvent()
}

func (m *Model) unwatch() {
	if m.disk.watcher != nil {
		_ = m.disk.watcher.Close() // it only lets go
		m.disk.watcher = nil
	}
}

func (m *Model) nextDiskEvent() tea.Cmd {
	w := m.disk.watcher
	return m.jobs.background(func(ctx context.Context) tea.Msg {
		if w.Next(ctx) != nil {
			return nil
		}
		return diskEventMsg{w}
	})
}

func (m *Model) diskEvent(msg diskEventMsg) tea.Cmd {
	if msg.watcher != m.disk.watcher {
		return nil
	}
	return tea.Batch(m.lookAtDisk(), m.findStarted(), m.nextDiskEvent())
}

// lookAtDisk compares the file with what was read or saved, off this goroutine.
func (m *Model) lookAtDisk() tea.Cmd {
	switch {
	case m.file == nil:
		return nil
	case m.disk.looking || m.saving.active:
		m.disk.again = true
		return nil
	}
	m.disk.looking = true
	file, known := m.file, m.disk.theirs
	return m.do(func(context.Context) tea.Msg { return inspect(file, known) })
}

// inspect finds out how a file stands. known is their version as far as it was read before.
func inspect(file *diskfile.File, known *theirs) lookedMsg {
	msg := lookedMsg{file: file}
	msg.state, msg.err = file.State()
	switch {
	case msg.err != nil:
	case msg.state == diskfile.Same:
		msg.readOnly = file.ReadOnly()
	case msg.state == diskfile.Missing:
		msg.newName = file.NewName()
	case msg.state == diskfile.Modified:
		msg.readOnly = file.ReadOnly()
		if known != nil {
			if state, err := known.file.State(); err == nil && state == diskfile.Same {
				msg.theirs = known
				break
			}
		}
		msg.theirs, msg.err = readTheirs(file)
	}
	return msg
}

func readTheirs(file *diskfile.File) (*theirs, error) {
	data, f, err := file.Reread()
	if err != nil {
		return nil, err
	}
	t := &theirs{file: f, sum: f.Sum()}
	t.doc, t.err = notebook.Parse(data)
	return t, nil
}

// looked takes over what a look found.
func (m *Model) looked(msg lookedMsg) tea.Cmd {
	d := &m.disk
	d.looking = false
	again := d.again
	d.again = false
	if msg.file == m.file && !m.saving.active { // else it is about what is no longer so
		m.setDisk(msg)
	}
	if again {
		return m.lookAtDisk()
	}
	return nil
}

func (m *Model) setDisk(msg lookedMsg) {
	d := &m.disk
	if msg.err != nil {
		m.sayDisk(failure, msg.err.Error())
		return
	}
	fresh := msg.theirs != nil && (d.theirs == nil || !bytes.Equal(d.theirs.sum, msg.theirs.sum))
	if d.state != msg.state || d.newName != msg.newName || d.theirs != msg.theirs || m.locked != msg.readOnly {
		m.dirty = true
	}
	d.state, d.newName, d.theirs, m.locked = msg.state, msg.newName, msg.theirs, msg.readOnly
	switch d.state {
	case diskfile.Same:
		d.asked, d.mine, d.due = false, nil, false
		m.sayDisk("", "")
	case diskfile.Missing:
		d.due = false
		m.sayDisk(warning, m.missing()+"; what is shown here is kept. "+m.saveKeys("makes it again"))
	case diskfile.NotFile:
		d.due = false
		m.sayDisk(warning, "something that is no file took the place of "+m.fileName()+"; what is shown here is kept. "+m.table.Keys(keymap.Command, keymap.SaveAs)+" saves it under another name")
	case diskfile.Modified:
		m.modified(fresh)
	}
}

// modified takes note of another program's version.
func (m *Model) modified(fresh bool) {
	d := &m.disk
	if err := d.theirs.err; err != nil {
		d.due = false
		m.sayDisk(warning, fmt.Sprintf("%s was changed by another program and is no notebook now (%v); what is shown here is kept", m.fileName(), err))
		return
	}
	m.sayDisk("", "")
	if fresh && m.compare != nil && m.compare.theirs {
		m.compareTheirs() // what is compared is what the answer will be about
	}
	if fresh && !d.asked && m.question == nil || !m.doc.Dirty() {
		d.due = true
	}
}

// sayDisk says how the file stands, in place of what was said before. Nothing is said twice.
func (m *Model) sayDisk(k kind, text string) {
	if text == m.disk.said {
		return
	}
	if m.disk.said != "" {
		m.messages.drop(m.disk.said)
		m.dirty = true
	}
	m.disk.said = text
	if text != "" {
		m.say(k, text)
	}
}

func (m *Model) missing() string {
	if m.disk.newName != "" {
		return m.fileName() + " was renamed to " + render.Sanitize(filepath.Base(m.disk.newName))
	}
	return m.fileName() + " was deleted"
}

func (m *Model) saveKeys(does string) string {
	return fmt.Sprintf("%s %s, %s saves it under another name",
		m.table.Keys(keymap.Command, keymap.Save), does, m.table.Keys(keymap.Command, keymap.SaveAs))
}

// diskLabel is the word for it in the status bar.
func (m *Model) diskLabel() string {
	switch m.disk.state {
	case diskfile.Missing:
		if m.disk.newName != "" {
			return " [renamed on disk]"
		}
		return " [deleted on disk]"
	case diskfile.NotFile:
		return " [no file on disk]"
	case diskfile.Modified:
		return " [changed on disk]"
	case diskfile.Same:
	}
	return ""
}

// settle asks and does what had to wait until the keyboard was free: nobody's typing may
// become the answer to a question. It is called after every message.
func (m *Model) settle() tea.Cmd {
	if mode := m.mode(); mode != keymap.Command && mode != keymap.Tree || m.saving.active || m.keys.Pending() != "" {
		return nil
	}
	var cmd tea.Cmd
	switch {
	case len(m.keeper.offers) > 0 && m.coming():
	case len(m.keeper.offers) > 0:
		cmd = m.offerCopy()
	case m.disk.due:
		m.disk.due = false
		cmd = m.takeOrAsk()
	}
	return tea.Batch(cmd, m.openedByItself())
}

// takeOrAsk reloads the notebook where there is nothing to lose, else asks once.
func (m *Model) takeOrAsk() tea.Cmd {
	t := m.disk.theirs
	if t == nil || t.doc == nil || m.disk.state != diskfile.Modified {
		return nil
	}
	if !m.doc.Dirty() {
		m.setHint(m.fileName() + " was changed by another program: reloaded")
		return m.takeTheirs(t)
	}
	m.disk.asked = true
	return m.askMineOrTheirs(func() tea.Cmd {
		if m.disk.theirs != nil {
			m.disk.mine = m.disk.theirs.sum
		}
		m.setHint("yours is kept; the next save writes it over the other, of which a copy is kept")
		return nil
	}, nil)
}

// askMineOrTheirs is the question about another program's version. The answers are about
// the version that is on disk when they are given.
func (m *Model) askMineOrTheirs(mine func() tea.Cmd, then func() tea.Cmd) tea.Cmd {
	return m.ask("another program changed "+m.fileName()+" since it was read:",
		choice{action: keymap.AnswerMine, do: mine},
		choice{action: keymap.AnswerTheirs, do: func() tea.Cmd {
			var told tea.Cmd
			if t := m.disk.theirs; t != nil && t.doc != nil {
				told = m.takeTheirs(t)
				m.setHint("theirs is shown; z brings yours back")
			}
			if then != nil {
				return tea.Batch(told, then())
			}
			return told
		}},
		choice{action: keymap.AnswerCompare, stays: true, do: func() tea.Cmd {
			m.compareTheirs()
			return nil
		}}, back())
}

// compareTheirs sets mine against theirs as it is on disk now.
func (m *Model) compareTheirs() {
	if t := m.disk.theirs; t != nil && t.doc != nil {
		m.openCompare("mine", "theirs", m.doc.Cells(), t.doc.Cells())
		m.compare.theirs = true
	}
}

// takeTheirs makes their version the document's. Undo brings back what was there.
func (m *Model) takeTheirs(t *theirs) tea.Cmd {
	m.disk = disk{watcher: m.disk.watcher, looking: m.disk.looking, again: m.disk.again, said: m.disk.said}
	m.sayDisk("", "")
	m.file = t.file
	m.locked = t.file.ReadOnly()
	m.oldFormat = t.doc.Converted()
	m.adopt("reload from disk", t.doc, true)
	return m.tellHost(m.session.Reloaded(diskfile.RealPath(m.file.Path), m.fileSum()))
}
