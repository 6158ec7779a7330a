package screentest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// patience bounds every wait. A test that reaches it fails; none is meant to.
const patience = 20 * time.Second

// Config says what to run.
type Config struct {
	Width, Height int
	// Run is the program. It returns when it ended.
	Run func(ctx context.Context, tty TTY) error
	// OSPipe makes the program's input a pipe of the system, which can be let go of and
	// taken up again, as around an external editor. In synctest bubbles it must be false.
	OSPipe bool
	// Sync is typed before each call of Idle, so that the program knows when all keys
	// typed before have arrived.
	Sync string
	// Idle returns when the program has nothing left to do and its frame is written.
	Idle func(ctx context.Context) error
}

// TTY is the program's side of the emulated terminal.
type TTY struct {
	In            io.Reader
	Out           io.Writer
	Width, Height int
}

// Screen is a running program and its terminal. Its methods are for the test's goroutine.
type Screen struct {
	t      testing.TB
	cfg    Config
	keys   io.WriteCloser
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of Run, once done is closed

	mu      sync.Mutex // guards all below, and every use of the emulator but Read
	term    *vt.Emulator
	changed chan struct{} // closed and replaced with every write
	raw     bytes.Buffer
	writes  int
}

// Start runs a program on a fresh terminal. The test's cleanup ends both.
func Start(t testing.TB, cfg Config) *Screen {
	t.Helper()
	in, keys := pipe(t, cfg.OSPipe)
	ctx, cancel := context.WithCancel(context.Background())
	s := &Screen{
		t: t, cfg: cfg, keys: keys, cancel: cancel, done: make(chan struct{}),
		term: vt.NewEmulator(cfg.Width, cfg.Height), changed: make(chan struct{}),
	}
	_, _ = s.term.WriteString("\x1b[20h") // a program that is on no tty writes bare line feeds
	replies := make(chan struct{})
	go func() {
		defer close(replies)
		_, _ = io.Copy(keys, s.term) // what the terminal answers comes in like keys
	}()
	go func() {
		defer close(s.done)
		s.err = cfg.Run(ctx, TTY{In: in, Out: writer{s}, Width: cfg.Width, Height: cfg.Height})
	}()
	t.Cleanup(func() {
		cancel()
		_ = s.Wait() // how it ended is for the test to ask
		_ = in.Close()
		// The emulator's own Close writes what its Read reads without a lock: its pipe is closed instead.
		if c, ok := s.term.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
		<-replies
		if t.Failed() {
			t.Logf("the last screen:\n%s", s.Text())
		}
	})
	return s
}

func pipe(t testing.TB, system bool) (io.ReadCloser, io.WriteCloser) {
	if !system {
		return io.Pipe()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return r, w
}

type writer struct{ s *Screen }

func (w writer) Write(p []byte) (int, error) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	s.writes++
	close(s.changed)
	s.changed = make(chan struct{})
	return s.term.Write(p)
}

// Keys types key names ("shift+enter", "ctrl+c", "down") and texts, one after the other.
func (s *Screen) Keys(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		if key == "esc" { // alone: a terminal's Escape is followed by a pause
			s.write("\x1b[27u")
			continue
		}
		s.write(encode(key))
	}
}

func (s *Screen) write(seq string) {
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = io.WriteString(s.keys, seq) // fails once the program has ended
	}()
	select {
	case <-wrote:
	case <-s.done: // nobody reads keys any more
		_ = s.keys.Close()
	}
}

// HangUp makes the program's reads fail with err, as those of a terminal that is gone do.
func (s *Screen) HangUp(err error) {
	if w, ok := s.keys.(*io.PipeWriter); ok {
		_ = w.CloseWithError(err)
	}
}

// Type is Keys and WaitIdle.
func (s *Screen) Type(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.Keys(key)
		s.WaitIdle()
	}
}

// Text is the screen: its lines without the blanks at their ends.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text()
}

func (s *Screen) text() string {
	var b strings.Builder
	for y := range s.term.Height() {
		var line strings.Builder
		for x := range s.term.Width() {
			if c := s.term.CellAt(x, y); c == nil || c.Content == "" && c.Width > 0 {
				line.WriteByte(' ')
			} else {
				line.WriteString(c.Content)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Styles is a map of the screen: one character a cell. Palette changes leave it alone:
// '.' plain, 'b' bold, 'c' coloured, 'r' reversed or on a background, ' ' blank.
func (s *Screen) Styles() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for y := range s.term.Height() {
		line := make([]byte, 0, s.term.Width())
		for x := range s.term.Width() {
			line = append(line, styleOf(s.term.CellAt(x, y)))
		}
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

func styleOf(c *uv.Cell) byte {
	switch {
	case c == nil:
		return ' '
	case c.Style.Bg != nil || c.Style.Attrs&uv.AttrReverse != 0:
		return 'r'
	case c.Content == "" || c.Content == " ":
		return ' '
	case c.Style.Attrs&uv.AttrBold != 0:
		return 'b'
	case c.Style.Fg != nil:
		return 'c'
	}
	return '.'
}

// Cursor is where the cursor stands; shown is false while it is hidden.
func (s *Screen) Cursor() (x, y int, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.term.CursorPosition()
	return p.X, p.Y, !s.term.CursorHidden()
}

// AltScreen tells whether the alternate screen is shown.
func (s *Screen) AltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.IsAltScreen()
}

// Bytes is everything that the program wrote so far.
func (s *Screen) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw.Bytes())
}

// Count is how many bytes in how many writes the program wrote so far.
func (s *Screen) Count() (size, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.Len(), s.writes
}

// Resize changes the emulator's size. Telling the program is the caller's part.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.term.Resize(width, height)
}

// WaitScreen waits until the screen satisfies cond. what names that for the failure.
func (s *Screen) WaitScreen(what string, cond func(screen string) bool) string {
	s.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		screen, changed := s.text(), s.changed
		s.mu.Unlock()
		if cond(screen) {
			return screen
		}
		select {
		case <-changed:
		case <-s.done:
			if screen = s.Text(); cond(screen) {
				return screen
			}
			s.fail("the program ended (%v) before the screen showed %s", s.err, what)
		case <-timeout.C:
			s.fail("the screen does not show %s", what)
		}
	}
}

// WaitFor waits until the screen holds text.
func (s *Screen) WaitFor(text string) string {
	s.t.Helper()
	return s.WaitScreen(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitIdle waits until the program has nothing to do and its last frame is on the screen.
func (s *Screen) WaitIdle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.write(s.cfg.Sync)
	if err := s.cfg.Idle(ctx); err != nil {
		s.fail("the program does not become idle: %v", err)
	}
}

// Wait waits until the program ended and returns what it returned.
func (s *Screen) Wait() error {
	s.t.Helper()
	select {
	case <-s.done:
		return s.err
	case <-time.After(patience):
		s.fail("the program does not end")
		return nil
	}
}

// fail ends the test and shows all that there is to see.
func (s *Screen) fail(format string, args ...any) {
	s.t.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	s.t.Fatalf(format+"\nthe screen:\n%s\ngoroutines:\n%s", append(args, s.Text(), stacks)...)
}
