package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui/keymap"
)

// savingState is about the save that is under way.
type savingState struct {
	active bool
	said   []string       // why it could not be saved, to be taken away when it is
	again  func() tea.Cmd // what to do once it ended: another save was asked for
}

// savedMsg says how a save ended.
type savedMsg struct {
	snapshot notebook.Snapshot
	mark     session.Mark
	file     *diskfile.File // that was written
	looked   *lookedMsg     // another program changed the file: nothing was written
	kept     string         // where the content is that was written over
	err      error
	then     func() tea.Cmd
}

// save writes the document as it is now, off this goroutine. Unless over is set it
// leaves a file alone that another program changed. then comes after a save that worked.
func (m *Model) save(over bool, then func() tea.Cmd) tea.Cmd {
	switch {
	case m.doc.ReadOnly() != "":
		m.say(failure, "not saved: the notebook is read-only: "+m.doc.ReadOnly())
		return nil
	case m.file == nil:
		m.say(failure, "not saved: the notebook has no file name")
		return nil
	case m.saving.active:
		m.saving.again = func() tea.Cmd { return m.save(over, then) }
		return nil
	}
	return m.saveTo(m.file, over, then)
}

// saveTo writes the document to a file, its own or a new one.
func (m *Model) saveTo(file *diskfile.File, over bool, then func() tea.Cmd) tea.Cmd {
	m.saving.active = true
	m.dirty = true
	m.keeper.saves.Add(1)
	s := saveJob{
		snapshot: m.doc.Snapshot(), mark: m.session.Mark(), file: file, over: over, mine: m.disk.mine, known: m.disk.theirs,
		keeper: &m.keeper, stateDir: m.opt.StateDir, own: file == m.file,
	}
	if s.own {
		s.old = m.oldFormat
	}
	s.stale, _ = s.snapshot.Same(m.keeper.last)
	s.stale = !s.stale
	return m.do(func(context.Context) tea.Msg {
		msg := s.run()
		msg.then = then
		return msg
	})
}

// saveJob is one save, to be run off the model's goroutine.
type saveJob struct {
	snapshot notebook.Snapshot
	mark     session.Mark // of it
	file     *diskfile.File
	own      bool // file is the document's own
	over     bool // write over whatever is there
	mine     []byte
	known    *theirs
	keeper   *keeper
	stale    bool // the recovery copy, if there is one, holds something else
	stateDir string
	old      int // the nbformat of the file that is about to become another one, 0 for none
}

func (s saveJob) run() savedMsg {
	s.keeper.work.Lock()
	defer s.keeper.work.Unlock()
	msg := savedMsg{snapshot: s.snapshot, mark: s.mark, file: s.file}
	found := lookedMsg{}
	if s.own {
		found = inspect(s.file, s.known)
		msg.err = found.err
		agreed := found.theirs != nil && s.mine != nil && string(found.theirs.sum) == string(s.mine)
		if msg.err == nil && found.state != diskfile.Same && !s.over && !agreed {
			msg.looked = &found
			return msg
		}
	}
	if msg.err == nil && s.old > 0 && found.state == diskfile.Same {
		msg.kept, _ = s.file.KeepOld(s.stateDir) // the user said yes: no reason not to save
	}
	if msg.err == nil && found.state == diskfile.Modified {
		msg.kept, msg.err = s.file.KeepOld(s.stateDir)
		if !s.file.Exists() { // it came into being since
			msg.file = found.theirs.file
		}
	}
	if msg.err == nil {
		msg.err = s.write(msg.file)
	}
	return msg
}

// write saves. A recovery copy is brought up to date first: whenever the program is
// killed, either the file or the copy has everything.
func (s saveJob) write(file *diskfile.File) error {
	rec := s.keeper.rec
	if rec != nil && rec.Copy() != "" && s.stale {
		_ = rec.Write(file.Sum(), written(s.snapshot)) // the file itself is written next
	}
	if err := file.Save(written(s.snapshot)); err != nil {
		if rec != nil && errors.Is(err, diskfile.ErrNotLasting) {
			_ = rec.Write(file.Sum(), written(s.snapshot)) // a power cut may bring the old file back
		}
		return err
	}
	if rec != nil {
		_ = rec.Clear() // a copy too many harms nobody
	}
	return nil
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	m.saving.active = false
	m.dirty = true
	again := m.saving.again
	m.saving.again = nil
	risky := errors.Is(msg.err, diskfile.ErrNotLasting)
	switch {
	case msg.err != nil && !risky:
		m.sayUnsaved(failure, fmt.Sprintf("not saved: %v; %s saves under another name", msg.err, m.table.Keys(keymap.Command, keymap.SaveAs)))
		return m.lookAgain()
	case msg.looked != nil:
		return m.notSaved(msg)
	}
	m.doc.MarkSaved(msg.snapshot)
	m.locked = false
	for _, text := range m.saving.said {
		m.messages.drop(text)
	}
	m.saving.said = nil
	m.keeper.last, m.keeper.holds = notebook.Snapshot{}, false
	m.dropTaken()
	m.tookFile(msg)
	if risky {
		m.say(warning, msg.err.Error())
	}
	cmds := []tea.Cmd{m.lookAgain(), m.tellHost(m.session.Saved(msg.mark, diskfile.RealPath(m.file.Path), m.fileSum()))}
	if again != nil {
		cmds = append(cmds, again())
	} else if msg.then != nil {
		cmds = append(cmds, msg.then())
	}
	return tea.Batch(cmds...)
}

// sayUnsaved says what a save that works makes untrue.
func (m *Model) sayUnsaved(k kind, text string) {
	m.saving.said = append(m.saving.said, text)
	m.say(k, text)
}

// tookFile makes the file that was written the document's own and says what happened.
func (m *Model) tookFile(msg savedMsg) {
	was := m.oldFormat
	m.oldFormat = 0
	m.disk = disk{watcher: m.disk.watcher, looking: m.disk.looking, again: m.disk.again, said: m.disk.said}
	m.sayDisk("", "")
	m.file = msg.file
	m.setHint("saved " + m.fileName())
	switch {
	case msg.kept != "" && was > 0:
		m.say(info, fmt.Sprintf("saved %s as nbformat 4; what it was as nbformat %d is kept for 30 days in %s", m.fileName(), was, msg.kept))
	case msg.kept != "":
		m.say(info, "saved "+m.fileName()+"; what another program had written is kept in "+msg.kept)
	}
}

// lookAgain looks at the disk if that was asked for during the save.
func (m *Model) lookAgain() tea.Cmd {
	if !m.disk.again || m.disk.looking {
		return nil
	}
	m.disk.again = false
	return m.lookAtDisk()
}

// notSaved asks what to do about a file that is not as it was left.
func (m *Model) notSaved(msg savedMsg) tea.Cmd {
	m.setDisk(*msg.looked)
	m.disk.due = false
	over := func() tea.Cmd { return m.save(true, msg.then) }
	switch {
	case m.disk.state == diskfile.NotFile:
		m.sayUnsaved(failure, "not saved: something that is no file took the place of "+m.fileName()+"; "+
			m.table.Keys(keymap.Command, keymap.SaveAs)+" saves under another name")
		return nil
	case m.disk.state == diskfile.Missing:
		return m.ask(m.missing()+" since it was read:",
			choice{action: keymap.AnswerWrite, do: over},
			choice{action: keymap.AnswerSaveAs, do: func() tea.Cmd { return m.askPath(msg.then) }}, back())
	case m.disk.theirs == nil:
		return nil
	case m.disk.theirs.err != nil:
		return m.ask(fmt.Sprintf("another program changed %s, and it is no notebook now:", m.fileName()),
			choice{action: keymap.AnswerMine, do: over}, back())
	}
	m.disk.asked = true
	return m.askMineOrTheirs(over, msg.then)
}

// userSave is what the user means by "save": what needs a yes is asked first.
func (m *Model) userSave(then func() tea.Cmd) tea.Cmd {
	if m.oldFormat == 0 || m.doc.ReadOnly() != "" {
		return m.save(false, then)
	}
	return m.ask(fmt.Sprintf("%s is nbformat %d; saving makes it nbformat 4, which programs of its time cannot read:", m.fileName(), m.oldFormat),
		choice{action: keymap.AnswerYes, do: func() tea.Cmd { return m.save(false, then) }},
		choice{action: keymap.AnswerSaveAs, do: func() tea.Cmd { return m.askPath(then) }},
		choice{action: keymap.AnswerNo}, back())
}
