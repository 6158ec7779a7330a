package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Update implements tea.Model: it routes.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.clock.begin(m.look.now())
	if m.opt.Probe != nil {
		m.opt.Probe.updates.Add(1)
	}
	cmd := tea.Batch(m.route(msg), m.settle(), m.timeHint(), m.keepCopy(), m.paint())
	if idle := m.checkIdle(); idle != nil {
		cmd = tea.Batch(cmd, idle)
	}
	return m, cmd
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doneMsg:
		m.pending--
		return m.route(msg.msg)
	case tabMsg:
		return m.routeTab(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.BlurMsg:
		m.attention.away = true
	case tea.FocusMsg:
		m.attention.away = false
		m.probing.focus++
		return tea.Batch(m.lookAtDisk(), m.findStarted())
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseMotionMsg:
		return m.drag(msg)
	case tea.MouseReleaseMsg:
		m.release()
	case tea.WindowSizeMsg:
		m.resized(msg.Width, msg.Height)
	case tea.ColorProfileMsg:
		m.profiled(msg.Profile)
	case tea.BackgroundColorMsg:
		m.background(msg)
	case tea.KeyboardEnhancementsMsg:
		m.modifiedEnter = true
		m.dirty = true
	case uv.KittyGraphicsEvent:
		m.kittyAnswered(msg)
	case uv.UnknownCsiEvent:
		m.pieces(string(msg))
	case uv.UnknownEvent:
		m.pieces(string(msg))
	default:
		return m.routeOwn(msg)
	}
	return nil
}

// routeOwn routes the messages that this package sends to itself.
func (m *Model) routeOwn(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sizeMsg:
		return m.sizeComing(msg)
	case sizeSettledMsg:
		return m.sizeSettled(msg)
	case eventsMsg:
		return m.take(msg)
	case secondMsg:
		return m.second()
	case healthMsg:
		m.healthRead(msg)
	case hintOverMsg:
		m.hintOver(msg)
	case stillRunningMsg:
		m.stillRunning(msg)
	case calledMsg:
		return m.called(msg)
	case kernelsMsg:
		return m.kernelsListed(msg)
	case formattedMsg:
		m.formatted(msg)
	case draggedMsg:
		return m.dragged()
	case runningMsg:
		m.runningFound(msg)
	case hostKernelsMsg:
		m.hostKernelsFound(msg)
	case startedMsg:
		return m.started(msg)
	case switchedMsg:
		return m.switched(msg)
	case completedMsg:
		m.completed(msg)
	case inspectedMsg:
		m.inspected(msg)
	case foundMsg:
		return m.found(msg)
	case preparedMsg:
		return m.prepared(msg)
	case paneSearchMsg:
		return m.searchOn(msg)
	case paintedMsg:
		return m.painted(msg)
	case sentMsg:
		m.show(msg.work)
	case heedMsg:
		m.heed(msg)
	default:
		return m.routeTree(msg)
	}
	return nil
}

// routeTree routes those of them that are about the tree, tabs and files beside the notebook.
func (m *Model) routeTree(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pathNamesMsg:
		m.pathCompleted(msg)
	case treeListedMsg:
		return m.treeListed(msg)
	case treeChangedMsg:
		return m.treeChanged(msg)
	case openedMsg:
		return m.opened(msg)
	case tabClosedMsg:
		m.fail(msg.err)
	case madeMsg:
		m.made(msg)
	case filesFoundMsg:
		return m.filesFound(msg)
	case kernelFolderMsg:
		return m.kernelFolderFound(msg)
	case runningPathsMsg:
		m.tree.running, m.dirty = msg.paths, true
	case fileDoneMsg:
		return m.fileDone(msg)
	case previewedMsg:
		m.previewed(msg)
	case treeSaidMsg:
		m.say(msg.kind, msg.text)
	case treeRootMsg:
		return m.treeRooted(msg)
	default:
		return m.routeFiles(msg)
	}
	return nil
}

// routeFiles routes those of them that are about files, the program's life and its tests.
func (m *Model) routeFiles(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case savedMsg:
		return m.saved(msg)
	case copyDueMsg:
		return m.copyDue(msg)
	case copiedMsg:
		m.copied(msg)
	case leftBehindMsg:
		m.foundCopies(msg)
	case usersMsg:
		m.usersCounted(msg)
	case leftMsg:
		return m.foundLeft(msg)
	case lookedMsg:
		return m.looked(msg)
	case diskEventMsg:
		return m.diskEvent(msg)
	case resumedMsg:
		return m.resumed(msg)
	case editedMsg:
		return m.edited(msg)
	case signalMsg:
		return m.signalled(msg)
	case probeMsg:
		m.probing.waiting = append(m.probing.waiting, msg.idle)
		m.probing.need = msg.need
	case markMsg:
		return m.markSeen()
	}
	return nil
}
