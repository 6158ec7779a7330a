package tui

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diff"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/tui/keymap"
)

const (
	// copyEvery is how long a change waits for its copy. With the time that writing takes,
	// no more than five seconds of typing are lost when the program is killed.
	copyEvery = 4 * time.Second
	// copyShare bounds the time spent on copies of growing outputs: one part in so many.
	copyShare = 10
)

// keeper keeps a recovery copy of unsaved changes up to date. Nothing wakes up while
// there are none.
type keeper struct {
	rec     *diskfile.Recovery // nil: none can be kept
	waiting bool               // a copy is due or being written
	slow    bool               // it waits for outputs only, and longer
	serial  int
	holds   bool              // there is a copy
	last    notebook.Snapshot // what the copy holds, if there is one
	took    time.Duration     // how long writing it took

	work   sync.Mutex   // orders what is done with copy and file
	saves  atomic.Int64 // how many saves have begun; a copy older than a save is not written
	offers []offer      // copies of programs that were killed, to be asked about
	taken  []diskfile.Lost
}

// offer is a copy that another program left behind.
type offer struct {
	diskfile.Lost
	doc   *notebook.Document
	later bool // the file changed since the copy's edits began
}

type (
	copyDueMsg int // the serial of the wait
	copiedMsg  struct {
		rec      *diskfile.Recovery
		snapshot notebook.Snapshot
		err      error
		skipped  bool
		took     time.Duration
	}
	leftBehindMsg struct {
		living []diskfile.Owner
		offers []offer
		broken []string // copies that are no notebooks
		err    error
	}
)

// openRecovery registers this program as one that has the file open.
func (m *Model) openRecovery() {
	if m.file == nil {
		return
	}
	rec, err := diskfile.OpenRecovery(m.opt.StateDir, m.file.Path)
	if err != nil {
		m.say(warning, "unsaved changes cannot be kept safe while you type: "+err.Error())
		return
	}
	m.keeper.rec = rec
}

// keepCopy sees to it that unsaved changes get a copy soon. It is called after every message.
func (m *Model) keepCopy() tea.Cmd {
	k := &m.keeper
	switch {
	case k.rec == nil || k.waiting && !k.slow:
		return nil
	case !m.doc.Dirty():
		return m.clearCopy()
	}
	all, typed := m.doc.Snapshot().Same(k.last)
	if all || k.waiting && typed {
		return nil
	}
	wait := copyEvery
	if typed {
		wait = max(wait, copyShare*k.took)
	}
	k.waiting, k.slow = true, typed
	k.serial++
	return m.jobs.after(wait, copyDueMsg(k.serial))
}

// clearCopy removes the copy of changes that were taken back.
func (m *Model) clearCopy() tea.Cmd {
	k := &m.keeper
	if !k.holds || k.waiting || m.saving.active {
		return nil
	}
	k.holds, k.last = false, notebook.Snapshot{}
	rec := k.rec
	return m.do(func(context.Context) tea.Msg {
		k.work.Lock()
		defer k.work.Unlock()
		_ = rec.Clear() // a copy too many harms nobody
		return nil
	})
}

// copyDue writes the copy, off this goroutine.
func (m *Model) copyDue(msg copyDueMsg) tea.Cmd {
	if int(msg) != m.keeper.serial {
		return nil
	}
	if !m.doc.Dirty() {
		m.keeper.waiting = false
		return nil
	}
	return m.writeCopy()
}

func (m *Model) writeCopy() tea.Cmd {
	k, file, snapshot := &m.keeper, m.file, m.doc.Snapshot()
	k.waiting, k.slow = true, false
	k.serial++
	rec, saves := k.rec, k.saves.Load()
	return m.do(func(context.Context) tea.Msg {
		k.work.Lock()
		defer k.work.Unlock()
		if k.saves.Load() != saves {
			return copiedMsg{rec: rec, skipped: true}
		}
		start := time.Now()
		err := rec.Write(file.Sum(), written(snapshot))
		return copiedMsg{rec: rec, snapshot: snapshot, err: err, took: time.Since(start)}
	})
}

// written writes a snapshot as a file.
func written(s notebook.Snapshot) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := s.WriteTo(w)
		return err
	}
}

func (m *Model) copied(msg copiedMsg) {
	k := &m.keeper
	if msg.rec != k.rec {
		return // the file was saved under another name meanwhile
	}
	k.waiting = false
	if msg.skipped {
		return
	}
	k.last, k.took = msg.snapshot, msg.took
	if msg.err != nil {
		m.say(warning, "unsaved changes are not safe: "+msg.err.Error())
		return
	}
	k.holds = true // keepCopy removes it if a save came in between
	m.dropTaken()
}

// dropTaken removes copies whose content this program keeps now itself.
func (m *Model) dropTaken() {
	for _, l := range m.keeper.taken {
		m.fail(l.Remove())
	}
	m.keeper.taken = nil
}

// findCopies looks who else has the file open and what was left behind.
func (m *Model) findCopies() tea.Cmd {
	rec, file := m.keeper.rec, m.file
	if rec == nil {
		return nil
	}
	return m.do(func(context.Context) tea.Msg {
		for _, tmp := range diskfile.Unfinished(file.Path) {
			_ = os.Remove(tmp) // of a save that was killed; the file is whole, and its edits have a copy
		}
		living, lost, err := rec.Others()
		msg := leftBehindMsg{living: living, err: err}
		for _, l := range lost {
			data, err := os.ReadFile(l.Copy)
			if err != nil {
				continue
			}
			if sum := sha256.Sum256(data); bytes.Equal(sum[:], file.Sum()) {
				_ = l.Remove() // the file has all of it
				continue
			}
			doc, err := notebook.Parse(data)
			if err != nil {
				msg.broken = append(msg.broken, l.Copy)
				continue
			}
			msg.offers = append(msg.offers, offer{l, doc, l.Base != fmt.Sprintf("%x", file.Sum())})
		}
		return msg
	})
}

func (m *Model) foundCopies(msg leftBehindMsg) {
	m.fail(msg.err)
	for _, o := range msg.living {
		m.say(warning, fmt.Sprintf("%s is open in another nbterm too (%s): whoever saves second is asked first", m.fileName(), owner(o)))
	}
	for _, path := range msg.broken {
		m.say(warning, "a recovery copy cannot be read as a notebook: "+path)
	}
	m.keeper.offers = msg.offers
	m.dirty = true
}

func owner(o diskfile.Owner) string {
	s := fmt.Sprintf("process %d", o.PID)
	if host, err := os.Hostname(); err == nil && o.Host != "" && o.Host != host {
		s += " on " + o.Host
	}
	if !o.Since.IsZero() {
		s += ", since " + moment(o.Since)
	}
	return s
}

// moment writes a time of day, with the day if that is not today.
func moment(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// offerCopy asks about the newest copy that was left behind.
func (m *Model) offerCopy() tea.Cmd {
	o := m.keeper.offers[0]
	if m.hostHas(o) {
		m.keeper.offers = m.keeper.offers[1:]
		m.fail(o.Remove())
		return nil
	}
	text := fmt.Sprintf("unsaved changes of %s from %s were kept: %s", m.fileName(), moment(o.Written), cellsDiffer(diff.Cells(m.doc.Cells(), o.doc.Cells())))
	if o.later {
		text += "; another program changed the file since, which is asked about next"
	}
	choices := []choice{
		{action: keymap.AnswerRestore, do: m.restore},
		{action: keymap.AnswerCompare, stays: true, do: func() tea.Cmd {
			m.openCompare("on disk", "kept", m.doc.Cells(), o.doc.Cells())
			return nil
		}},
		{action: keymap.AnswerDiscard, do: func() tea.Cmd {
			m.keeper.offers = m.keeper.offers[1:]
			m.fail(o.Discard(m.opt.StateDir))
			return nil
		}},
		{action: keymap.AnswerBack, label: "later", do: func() tea.Cmd {
			m.keeper.offers = m.keeper.offers[1:]
			return nil
		}},
	}
	return m.ask(text, choices...)
}

// restore takes over a copy. It is one undo step; what is on disk is untouched until a
// save. If the file was changed since the copy's edits began, it stands to the document as
// if the program had never ended: a change of another program's that is asked about.
func (m *Model) restore() tea.Cmd {
	o := m.keeper.offers[0]
	m.keeper.offers = m.keeper.offers[1:]
	m.adopt("restore unsaved changes", o.doc, false)
	m.session.Rematch()
	m.keeper.taken = append(m.keeper.taken, o.Lost)
	m.setHint("restored; z goes back to what is on disk")
	var look tea.Cmd
	if o.later {
		m.file = m.file.AsOf(o.Began())
		look = m.lookAtDisk()
	}
	if m.keeper.rec == nil {
		return look
	}
	return tea.Batch(look, m.writeCopy())
}

// adopt makes the document another version of itself and shows it.
func (m *Model) adopt(label string, doc *notebook.Document, saved bool) {
	m.leaveEdit()
	m.setMark("")
	at, selected := notebook.CellKey(""), m.selected
	if m.current != nil {
		at = m.current.key
	}
	m.doc.Adopt(label, doc, saved, func(key notebook.CellKey) bool { return m.session.Status(key).Phase.Pending() })
	m.syncCells()
	if i := m.doc.Index(at); i >= 0 {
		selected = i
	}
	m.choose(selected)
	m.list.Reveal(m.selected)
}

// recover ends the keeping of copies when the program ends other than by the user's
// wish: unsaved changes stay, and it says where.
func (m *Model) recover() (err error) {
	rec := m.keeper.rec
	if !m.doc.Dirty() || m.doc.ReadOnly() != "" {
		return m.closeRecovery()
	}
	if rec == nil {
		return errors.New("the unsaved changes are lost: no recovery copy could be kept")
	}
	defer func() { err = errors.Join(err, rec.Close(true)) }()
	if err := m.lastCopy(); err != nil {
		if old := rec.Copy(); old != "" {
			return fmt.Errorf("the last unsaved changes are lost, those up to some seconds ago are in %s: %w", old, err)
		}
		return fmt.Errorf("the unsaved changes are lost, no recovery copy could be written: %w", err)
	}
	_, err = fmt.Fprintf(m.opt.Err, "nbterm: the unsaved changes of %s are kept in %s; nbterm %s offers them\n", m.fileName(), rec.Copy(), m.fileName())
	return err
}

// lastCopy writes the copy once more. An error of ours may have left the document in a
// state that cannot be written: the copy before is better than none.
func (m *Model) lastCopy() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("nbterm failed: %v", p)
		}
	}()
	return m.keeper.rec.Write(m.file.Sum(), written(m.doc.Snapshot()))
}

// closeRecovery ends the registration. Copies of others that were taken over go with the
// user's own decision to save or to discard.
func (m *Model) closeRecovery() error {
	if m.keeper.rec == nil {
		return nil
	}
	return m.keeper.rec.Close(false)
}

// cellsDiffer says how many cells of two versions differ.
func cellsDiffer(pairs []diff.Pair) string {
	n := 0
	for _, p := range pairs {
		if p.Differs() {
			n++
		}
	}
	switch n {
	case 0:
		return "no cell differs"
	case 1:
		return "1 cell differs"
	}
	return fmt.Sprintf("%d cells differ", n)
}
