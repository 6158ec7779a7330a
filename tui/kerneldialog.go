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
	"github.com/nbterm/nbterm/notebook/session"
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
	s := m.session
	return m.do(func(ctx context.Context) tea.Msg {
		kernels, err := s.Kernels(ctx)
		return kernelsMsg{kernels, err, then}
	})
}

func (m *Model) kernelsListed(msg kernelsMsg) tea.Cmd {
	m.fail(msg.err)
	if msg.err != nil {
		return nil
	}
	if len(msg.kernels) == 0 && len(m.session.Places()) == 0 {
		if msg.then != nil {
			return nil // a run failed for that, and said so
		}
		m.setHint("no kernel can be started here: install python3 (3.8 or newer), or a Jupyter kernel")
		return nil
	}
	all := m.kernelItems(msg.kernels, msg.then)
	p := &picker{label: "Kernel: ", note: "Enter chooses it", empty: "no kernel is called that"}
	p.items = func(text string) []item { return fitting(all, text) }
	m.openPicker(p)
	put := func(group string, items []item) {
		rest := slices.DeleteFunc(all, func(it item) bool { return it.group == group })
		all = inGroups(append(rest, items...))
	}
	return tea.Batch(
		m.findRunning(p, func(more []item) { all = inGroups(append(all, more...)) }, msg.then),
		m.findOnHosts(p, put, msg.then),
	)
}

// The groups of the list, in their order.
const (
	ofNotebook   = "of this notebook"
	here         = "here"
	environments = "environments"
	running      = "running"
	builtIn      = "built in"
)

// kernelItems lists the kernels in groups: the notebook's own, those that are installed
// here, those of Python environments, the built-in ones. Within each those that cannot be
// started come last.
func (m *Model) kernelItems(kernels []kernelclient.Kernel, then func() tea.Cmd) []item {
	var items []item
	seen := map[string]string{}
	now, _ := m.session.Kernel()
	for _, k := range kernels {
		it := item{name: render.Sanitize(k.Name), detail: render.Sanitize(k.DisplayName), why: render.Sanitize(k.Broken), group: m.groupOf(k)}
		if it.right = m.place(k.Found); k.Env != "" {
			it.right = m.place(k.Env)
		} else if k.Found == builtIn {
			it.right = ""
		}
		if nearer, twice := seen[k.Name]; twice && it.why == "" {
			it.why = "the one of this name in " + nearer + " is nearer"
		}
		seen[k.Name] = render.Sanitize(k.Found)
		if now == k && m.session.Started() {
			it.name = "● " + it.name
		}
		it.do = func() tea.Cmd {
			return m.askSwitch(k.Name, func() func(context.Context) (*session.Found, error) { return m.session.FindKernel(k.Name) }, then)
		}
		items = append(items, it)
	}
	return inGroups(items)
}

// inGroups puts the items of the groups together, in each those that cannot be chosen last.
func inGroups(items []item) []item {
	order := []string{ofNotebook, here, environments, running, builtIn}
	place := func(it item) (at int, host string) { // other hosts come behind, by their names
		if at = slices.Index(order, it.group); at < 0 {
			at, host = len(order), it.group
		}
		return at, host
	}
	slices.SortStableFunc(items, func(a, b item) int {
		atA, hostA := place(a)
		atB, hostB := place(b)
		return cmp.Or(cmp.Compare(atA, atB), cmp.Compare(hostA, hostB), cmp.Compare(barred(a), barred(b)))
	})
	return items
}

// groupOf says where a kernel belongs, as seen from the notebook.
func (m *Model) groupOf(k kernelclient.Kernel) string {
	name, _, _ := m.doc.Kernelspec()
	switch {
	case name != "" && strings.EqualFold(k.Name, name):
		return ofNotebook
	case k.Found == builtIn:
		return builtIn
	case k.Env != "":
		return environments
	}
	return here
}

// place writes a folder as people do: ~ for the home folder.
func (m *Model) place(dir string) string {
	home := m.opt.getenv("HOME")
	if rest, ok := strings.CutPrefix(dir, home+string(filepath.Separator)); ok && home != "" {
		dir = "~" + string(filepath.Separator) + rest
	}
	return render.Sanitize(dir)
}

// askSwitch asks before the change of the kernel ends something that runs.
func (m *Model) askSwitch(name string, change kernelChange, then func() tea.Cmd) tea.Cmd {
	if !m.session.Running() {
		return m.switchKernel(name, change, then)
	}
	return m.ask("a cell is running; another kernel ends it:",
		choice{action: keymap.AnswerStop, do: func() tea.Cmd { return m.switchKernel(name, change, then) }}, back())
}

// switched puts the chosen kernel in the place of the present one. That one ends by the
// way: the new one takes cells at once.
func (m *Model) switched(msg switchedMsg) tea.Cmd {
	if msg.err != nil {
		m.setHint("")
		m.fail(msg.err)
		return nil
	}
	stop := m.session.Switch(m.jobs.ctx, msg.found)
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
	m.setHint("kernel " + render.Sanitize(msg.name))
	cmds := []tea.Cmd{m.read(), m.tick()}
	if stop != nil {
		cmds = append(cmds, m.call("stop", stop))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then())
	}
	return tea.Batch(cmds...)
}
