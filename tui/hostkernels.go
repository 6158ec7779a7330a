package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render"
)

// hostPatience is how long a host may take to say which kernels it has.
const hostPatience = 15 * time.Second

// hostKernelsMsg are the kernels of another host.
type hostKernelsMsg struct {
	picker  *picker // the list that they belong to
	at      int     // the host's place in Session.Places
	kernels []kernelclient.Kernel
	err     error
	put     func(group string, items []item)
	then    func() tea.Cmd
}

// hostGroup is the heading of a host's kernels.
func hostGroup(p session.Place) string {
	if p.Address == "" {
		return render.Sanitize(p.Name)
	}
	return render.Sanitize(p.Name + ": " + shortHost(p.Address))
}

// findOnHosts asks the other hosts for their kernels, all at once, and puts them into an
// open list as they answer. Until then a line stands for them.
func (m *Model) findOnHosts(p *picker, put func(group string, items []item), then func() tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	asked := m.session
	for at, place := range asked.Places() {
		put(hostGroup(place), []item{{name: "asking …", group: hostGroup(place), why: "the host has not answered yet"}})
		cmds = append(cmds, m.do(func(ctx context.Context) tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, hostPatience)
			defer cancel()
			kernels, err := asked.KernelsAt(ctx, at)
			return hostKernelsMsg{p, at, kernels, err, put, then}
		}))
	}
	p.refill()
	return tea.Batch(cmds...)
}

func (m *Model) hostKernelsFound(msg hostKernelsMsg) {
	if m.picker != msg.picker {
		return
	}
	place := m.session.Places()[msg.at]
	group := hostGroup(place)
	var items []item
	for _, k := range msg.kernels {
		items = append(items, m.hostKernelItem(k, msg.at, place, msg.then))
	}
	switch {
	case msg.err != nil:
		items = []item{{name: "cannot be asked", detail: render.Sanitize(msg.err.Error()), group: group, why: render.Sanitize(msg.err.Error())}}
	case len(items) == 0:
		items = []item{{name: "no kernels", group: group, why: "the host has no kernels"}}
	}
	msg.put(group, items)
	msg.picker.refill()
	m.dirty = true
}

func (m *Model) hostKernelItem(k kernelclient.Kernel, at int, place session.Place, then func() tea.Cmd) item {
	it := item{name: render.Sanitize(k.Name), detail: render.Sanitize(k.DisplayName), why: render.Sanitize(k.Broken), group: hostGroup(place)}
	it.do = func() tea.Cmd {
		return m.askSwitch(k.Name+" on "+place.Name, func() func(context.Context) (*session.Found, error) {
			return m.session.FindAt(at, k.Name)
		}, then)
	}
	return it
}
