package tui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/keymap"
)

// kernelsMsg is the list of kernels to choose from.
type kernelsMsg struct {
	kernels []kernelclient.Kernel
	err     error
	then    func() tea.Cmd
}

// openKernels lists the kernels; then comes after one was chosen and may be nil.
func (m *Model) openKernels(then func() tea.Cmd) tea.Cmd {
	return m.do(func(ctx context.Context) tea.Msg {
		kernels, err := m.session.Kernels(ctx)
		return kernelsMsg{kernels, err, then}
	})
}

func (m *Model) kernelsListed(msg kernelsMsg) tea.Cmd {
	m.fail(msg.err)
	if msg.err != nil {
		return nil
	}
	if len(msg.kernels) == 0 {
		if msg.then != nil {
			return nil // a run failed for that, and said so
		}
		m.setHint("no kernel can be started here: install python3 (3.8 or newer), or a Jupyter kernel")
		return nil
	}
	all := m.kernelItems(msg.kernels, msg.then)
	m.openPicker(&picker{
		label: "Kernel: ", note: "Enter starts it", empty: "no kernel is called that",
		items: func(text string) []item { return filterItems(all, text) },
	})
	return nil
}

// Places of kernels, in the order of the list.
const (
	ofNotebook = "of this notebook"
	here       = "here"
	installed  = "installed"
	builtIn    = "built in"
)

// kernelItems lists the kernels: the notebook's, those of this folder, of other
// environments, the built-in ones; within each those that cannot be started come last.
func (m *Model) kernelItems(kernels []kernelclient.Kernel, then func() tea.Cmd) []item {
	type entry struct {
		item
		rank int
	}
	var entries []entry
	seen := map[string]string{}
	for _, k := range kernels {
		place := m.placeOf(k)
		it := item{name: render.Sanitize(k.Name), detail: render.Sanitize(k.DisplayName), right: place, why: render.Sanitize(k.Broken)}
		if k.Found != builtIn && k.Found != "" {
			it.right += " · " + render.Sanitize(k.Found)
		}
		if nearer, twice := seen[k.Name]; twice && it.why == "" {
			it.why = "the one of this name in " + nearer + " is nearer"
		}
		seen[k.Name] = render.Sanitize(k.Found)
		if now, _ := m.session.Kernel(); now == k && m.session.Started() {
			it.name = "● " + it.name
		}
		it.do = func() tea.Cmd { return m.askSwitch(k.Name, then) }
		rank := 2 * slices.Index([]string{ofNotebook, here, installed, builtIn}, place)
		if it.why != "" {
			rank++
		}
		entries = append(entries, entry{it, rank})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.rank, b.rank) })
	items := make([]item, len(entries))
	for i, e := range entries {
		items[i] = e.item
	}
	return items
}

// placeOf says where a kernel belongs, as seen from the notebook.
func (m *Model) placeOf(k kernelclient.Kernel) string {
	name, _, _ := m.doc.Kernelspec()
	switch {
	case name != "" && strings.EqualFold(k.Name, name):
		return ofNotebook
	case k.Found == builtIn:
		return builtIn
	case m.file != nil && near(k.Found, filepath.Dir(m.file.Path)):
		return here
	}
	return installed
}

// near tells whether a kernel is of a virtual environment that lies in dir or above.
func near(found, dir string) bool {
	for p := found; p != filepath.Dir(p); p = filepath.Dir(p) {
		base := filepath.Base(p)
		if base != ".venv" && base != "venv" {
			continue
		}
		if rel, err := filepath.Rel(filepath.Dir(p), dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// askSwitch asks before the change of the kernel ends something that runs.
func (m *Model) askSwitch(name string, then func() tea.Cmd) tea.Cmd {
	if !m.session.Running() {
		return m.switchKernel(name, then)
	}
	return m.ask("a cell is running; another kernel ends it:",
		choice{action: keymap.AnswerStop, do: func() tea.Cmd { return m.switchKernel(name, then) }}, back())
}

// switchKernel puts another kernel in the place of the present one. That one ends by the
// way: the new one takes cells at once.
func (m *Model) switchKernel(name string, then func() tea.Cmd) tea.Cmd {
	stop, err := m.session.SwitchKernel(m.jobs.ctx, name)
	if err != nil {
		m.fail(err)
		return nil
	}
	m.messages.drop(m.kernel.death)
	m.messages.drop(offerRestart)
	m.kernel = kernelState{
		serial: m.kernel.serial + 1, ticking: m.kernel.ticking,
		interrupts: m.kernel.interrupts, ended: m.kernel.ended + 1, since: time.Now(),
	}
	m.look.language = m.doc.Language()
	for _, c := range m.cells {
		c.source = nil
	}
	m.refresh(keysOf(m.cells)...)
	m.promptOpened()
	m.setHint("kernel " + render.Sanitize(name))
	cmds := []tea.Cmd{m.read(), m.tick()}
	if stop != nil {
		cmds = append(cmds, m.call("stop", stop))
	}
	if then != nil {
		cmds = append(cmds, then())
	}
	return tea.Batch(cmds...)
}
