package tui

import (
	"bytes"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/x/term"
)

// The marks around a bracketed paste.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// pasteGate hands on what a terminal sends, but no first piece of a paste's mark: the
// terminal library gives up a piece after 50 ms, and would then never find the paste's end.
// One goroutine at a time reads it; another follows where an editor had the terminal meanwhile.
type pasteGate struct {
	r      io.Reader
	reads  atomic.Uint64 // how many there were
	mu     sync.Mutex    // guards all below; not held while r is read
	inside bool          // a paste is under way
	held   []byte        // a piece of a mark, less than all of it
}

// Read implements io.Reader. It may return nothing, where a piece is all that came.
func (g *pasteGate) Read(p []byte) (int, error) {
	held, more := g.release(p)
	if more {
		return held, nil
	}
	n, err := g.r.Read(p[held:])
	g.reads.Add(1)
	if err != nil {
		return n, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside && n == 1 && p[held] == 0x03 && len(p) >= len(pasteEnd) { // Ctrl-C: the end was lost
		g.held, g.inside = nil, false
		return copy(p, pasteEnd), nil
	}
	n += held
	keep := g.scan(p[:n])
	g.held = append(g.held[:0], p[n-keep:n]...)
	return n - keep, nil
}

// release copies the piece that is held to p. It reports whether that filled p.
func (g *pasteGate) release(p []byte) (n int, full bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n = copy(p, g.held)
	if full = n < len(g.held); full {
		g.held = g.held[n:]
	}
	return n, full
}

// scan follows the marks in b and returns how many bytes at its end may begin the next one.
func (g *pasteGate) scan(b []byte) int {
	for {
		mark := g.mark()
		i := bytes.Index(b, []byte(mark))
		if i < 0 {
			break
		}
		g.inside = !g.inside
		b = b[i+len(mark):]
	}
	least := 1
	if !g.inside {
		least = len("\x1b[2") // less may be the Escape key
	}
	mark := g.mark()
	for n := min(len(mark)-1, len(b)); n >= least; n-- {
		if bytes.HasSuffix(b, []byte(mark[:n])) {
			return n
		}
	}
	return 0
}

func (g *pasteGate) mark() string {
	if g.inside {
		return pasteEnd
	}
	return pasteStart
}

// gateFile is a pasteGate of a file, as the terminal library wants it to set it up.
type gateFile struct {
	*os.File
	gate *pasteGate
}

// Read implements io.Reader.
func (f gateFile) Read(p []byte) (int, error) { return f.gate.Read(p) }

// gated is the program's input behind a gate, and how often that was read; nil for what the
// terminal library opens by itself. Windows has key events in place of bytes.
func gated(in io.Reader, windows bool) (io.Reader, func() uint64) {
	if in == nil && !windows && term.IsTerminal(os.Stdin.Fd()) {
		in = os.Stdin
	}
	if in == nil {
		return nil, nil
	}
	gate := &pasteGate{r: in}
	if f, ok := in.(*os.File); ok {
		return gateFile{f, gate}, gate.reads.Load
	}
	return gate, gate.reads.Load
}
