package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/tui/celllist"
)

// Opened is a notebook to show, as Options.Open finds it.
type Opened struct {
	Session *session.Session // Run stops its kernel or leaves it, and closes it
	File    *diskfile.File
	Remote  func(address string) (*diskfile.File, error) // as Options.Remote
	Watch   func(path string) Watcher                    // as Options.Watch; nil: that one
	Broken  *Broken                                      // shown in place of a notebook; then File is nil
	Notices []string                                     // said when it shows
	Close   func()                                       // lets go of its host, after Session was closed; nil for nothing
}

// tab is one open notebook with all that belongs to it. The messages of its commands come
// back to it, whichever tab shows by then: see jobs.
type tab struct {
	jobs    *jobs
	session *session.Session
	doc     *notebook.Document
	file    *diskfile.File
	// oldFormat is the nbformat that the file has before the first save makes it 4; 0 for 4.
	oldFormat int
	locked    bool // the file may not be written, as of the start or the last save
	look      *look

	list     *celllist.List
	cells    []*cellView // as the document's, same order
	byKey    map[notebook.CellKey]*cellView
	selected int
	current  *cellView        // the view at selected, nil if there is none
	mark     notebook.CellKey // the other end of a selection of several cells, else ""
	follow   notebook.CellKey // whose tail the window follows, "" for none

	vitals     vitals
	question   *question
	find       finder
	prompt     promptLine
	editing    editing
	completion completion
	pane       *pane         // open, else nil
	page       *session.Page // waits for the end of typing
	kernel     kernelState
	starting   farStart
	saving     savingState
	keeper     keeper
	disk       disk
	path       *pathLine    // a name to save under is being typed
	compare    *comparePage // below a question
	broken     *brokenPage  // in place of a notebook
	left       leftKernel
	picker     *picker                                      // open, else nil
	closeHost  func()                                       // nil for nothing
	remote     func(address string) (*diskfile.File, error) // as Options.Remote
	watchFile  func(path string) Watcher                    // as Opened.Watch
	discard    bool                                         // the user agreed that unsaved changes are dropped
}

// addTab shows a notebook in a tab of its own, behind the one that shows now.
func (m *Model) addTab(o Opened) {
	t := &tab{
		session: o.Session, doc: o.Session.Doc(), file: o.File, closeHost: o.Close, remote: o.Remote, watchFile: o.Watch,
		list: celllist.New(), byKey: map[notebook.CellKey]*cellView{},
	}
	t.jobs = &jobs{m.free.pool, t}
	t.look = newLook(m.theme, languageOf(t.doc), time.Now)
	t.look.pictures = m.pictures
	if m.active != nil {
		t.look.numbers, t.look.cut = m.active.look.numbers, m.active.look.cut
	}
	at := slices.Index(m.tabs, m.active) + 1
	m.tabs = slices.Insert(m.tabs, at, t)
	m.tab, m.active = t, t
	m.syncCells()
	if o.Broken != nil {
		m.broken = &brokenPage{Broken: *o.Broken}
	}
	m.layout()
	m.openRecovery()
	m.oldFormat = m.doc.Converted()
	m.sayOpened(o.Notices)
}

// sayOpened says what is to be known of a notebook that was opened.
func (m *Model) sayOpened(notices []string) {
	for _, notice := range append(m.doc.Notices(), notices...) {
		m.say(warning, notice)
	}
	if m.oldFormat > 0 {
		m.sayUnsaved(info, fmt.Sprintf("%s is nbformat %d, shown as nbformat 4; the file stays as it is until you save and say yes", m.fileName(), m.oldFormat))
	}
	if why := m.doc.ReadOnly(); why != "" {
		m.say(warning, "read-only: "+why)
	} else if m.locked = m.file != nil && m.file.ReadOnly(); m.locked {
		m.sayUnsaved(warning, m.fileName()+" is read-only: changes can be made, but not saved until its permissions allow it")
	}
}

// beginTab begins what a notebook needs to be kept up to date.
func (m *Model) beginTab() tea.Cmd {
	return tea.Batch(m.findCopies(), m.findLeft(), m.watch(), m.read(), m.tick())
}
