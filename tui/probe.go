package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Probe tells a test when the program is idle: no command in hand, nothing running on
// the kernel, the last frame written. The zero Probe is ready for one Run.
type Probe struct {
	updates atomic.Int64

	mu    sync.Mutex // guards all below
	send  func(tea.Msg)
	ready chan struct{} // closed once send is set
	calls int
	ended <-chan struct{}
	marks chan int // marks that came through the writer
}

// ProbeKeys is what the terminal must send before each call of Idle: a focus report. It
// comes behind all keys that were sent before, so that these count as work in hand.
const ProbeKeys = "\x1b[I"

// Idle returns once the program is idle, or with an error when ctx or the program ends first.
func (p *Probe) Idle(ctx context.Context) error {
	idle := make(chan struct{})
	p.mu.Lock()
	p.calls++
	calls := p.calls
	p.mu.Unlock()
	if err := p.post(ctx, probeMsg{idle, calls}); err != nil {
		return err
	}
	select {
	case <-idle:
		return nil
	case <-p.ended:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Updates is how many messages the program has handled: what woke it.
func (p *Probe) Updates() int { return int(p.updates.Load()) }

// Resize tells the program that its terminal has another size.
func (p *Probe) Resize(ctx context.Context, width, height int) error {
	return p.post(ctx, tea.WindowSizeMsg{Width: width, Height: height})
}

// post hands a message to the program.
func (p *Probe) post(ctx context.Context, msg tea.Msg) error {
	select {
	case <-p.started():
	case <-ctx.Done():
		return ctx.Err()
	}
	p.send(msg)
	return nil
}

func (p *Probe) started() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready == nil {
		p.ready, p.marks = make(chan struct{}), make(chan int, 1)
	}
	return p.ready
}

func (p *Probe) start(send func(tea.Msg), ended <-chan struct{}) {
	ready := p.started()
	p.send, p.ended = send, ended
	close(ready)
}

// A mark is written between frames and taken out again before the terminal. The renderer
// writes what is raw first and its frame right after, so when a second mark comes
// through, the frame that was there before the first one has been written.
func mark(n int) string { return fmt.Sprintf("\x1b_nbterm-mark-%d\x1b\\", n) }

// markWriter takes marks out of what is written.
type markWriter struct {
	io.Writer
	probe *Probe
}

func (w markWriter) Write(p []byte) (int, error) {
	rest := p
	for {
		before, after, found := bytes.Cut(rest, []byte("\x1b_nbterm-mark-"))
		if !found {
			break
		}
		number, after, _ := bytes.Cut(after, []byte("\x1b\\"))
		n := 0
		_, _ = fmt.Sscan(string(number), &n) // always a number: mark wrote it
		w.probe.marks <- n
		rest = append(bytes.Clone(before), after...)
	}
	if len(rest) > 0 {
		if _, err := w.Writer.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

type (
	probeMsg struct {
		idle chan struct{}
		need int // how many focus reports must have come
	}
	markMsg int // mark n came through
)

// probing is the state of the waits for idleness.
type probing struct {
	waiting []chan struct{}
	focus   int  // how many focus reports came
	need    int  // how many must have come
	active  bool // a mark is under way
	mark    int  // its number
	frames  int  // how many frames there were when the first of two was sent
	second  bool
}

// busy tells whether the program has something to do or to wait for.
func (m *Model) busy() bool {
	if m.pending > 0 || m.probing.focus < m.probing.need || m.size.pending != (tea.WindowSizeMsg{}) {
		return true
	}
	busy := false
	m.eachTab(func() {
		busy = busy || m.comingUp() || m.coming() || m.session.Running() && m.session.Prompt() == nil
	})
	return busy
}

// checkIdle is called after every message; it costs nothing while nobody waits.
func (m *Model) checkIdle() tea.Cmd {
	p := &m.probing
	if len(p.waiting) == 0 || p.active || m.busy() {
		return nil
	}
	m.View() // a frame that is due counts as one that is there
	p.active, p.second, p.frames = true, false, m.frames
	return m.sendMark()
}

func (m *Model) sendMark() tea.Cmd {
	m.probing.mark++
	n, marks := m.probing.mark, m.opt.Probe.marks
	return tea.Sequence(tea.Raw(mark(n)), m.free.background(func(ctx context.Context) tea.Msg {
		select {
		case got := <-marks:
			return markMsg(got)
		case <-ctx.Done():
			return nil
		}
	}))
}

func (m *Model) markSeen() tea.Cmd {
	p := &m.probing
	p.active = false
	if m.busy() || m.dirty || m.frames != p.frames {
		return nil // checkIdle begins anew
	}
	if !p.second {
		p.active, p.second = true, true
		return m.sendMark()
	}
	for _, idle := range p.waiting {
		close(idle)
	}
	p.waiting = nil
	return nil
}
