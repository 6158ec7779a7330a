package unsandboxtest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"
)

// isShell tells whether a request wants the websocket of a session.
func isShell(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/sessions/") && strings.HasSuffix(r.URL.Path, "/shell")
}

// tty is a shell on a pseudo terminal.
type tty struct {
	cmd  *exec.Cmd
	file *os.File
	done chan struct{} // closed when the shell has ended
	once sync.Once

	mu  sync.Mutex // guards out
	out chan []byte
}

func (t *tty) kill() { t.once.Do(func() { killShell(t.cmd.Process.Pid, t.file) }) }

// openTTY starts a session's shell.
func (s *Server) openTTY(x *session, size *pty.Winsize) (*tty, error) {
	cmd := exec.Command("bash", "--norc", "--noprofile", "-i")
	if s.opt.Tmux && x.mux == "tmux" {
		cmd = exec.Command("tmux", "-S", filepath.Join(x.dir, "tmux"), "-f", "/dev/null", "new-session", "-A", "-s", "main", "bash --norc --noprofile -i")
	}
	cmd.Dir, cmd.Env = x.dir, x.env()
	file, err := pty.StartWithSize(cmd, size)
	if err != nil {
		return nil, err
	}
	t := &tty{cmd: cmd, file: file, done: make(chan struct{})}
	s.wg.Go(func() { // until the shell ends
		defer close(t.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := file.Read(buf)
			t.put(buf[:n])
			if err != nil {
				break
			}
		}
		t.kill() // what it left behind goes with it
		_ = cmd.Wait()
		_ = file.Close()
	})
	return t, nil
}

// put hands output to who is connected; nobody sees what comes while nobody is.
func (t *tty) put(b []byte) {
	t.mu.Lock()
	out := t.out
	t.mu.Unlock()
	if out == nil || len(b) == 0 {
		return
	}
	select {
	case out <- append([]byte(nil), b...):
	case <-time.After(5 * time.Second): // the client is stuck: a terminal would block too
	}
}

func (t *tty) attach() chan []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = make(chan []byte, 1024)
	return t.out
}

func (t *tty) detach() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = nil
}

// DropShells makes every websocket break after some more frames of output; 0 = never.
func (s *Server) DropShells(frames int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames = frames
}

// dropped counts a frame, and tells whether the connection is to break now.
func (s *Server) dropped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frames == 0 {
		return false
	}
	s.frames--
	return s.frames == 0
}

func (s *Server) serveShell(w http.ResponseWriter, r *http.Request, x *session) {
	if r.Header.Get("Upgrade") == "" || s.is(r, "session", "ws426") {
		answer(w, http.StatusUpgradeRequired, map[string]any{"error": "upgrade_required"})
		return
	}
	if s.is(r, "session", "wsnoauth") && r.Header.Get("Authorization") != "" {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized"})
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"unsandbox-shell"}, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	size, ok := firstFrame(ctx, c)
	if c.Subprotocol() != "unsandbox-shell" || !ok {
		_ = c.Close(websocket.StatusProtocolError, "the first frame is a resize")
		return
	}
	s.mu.Lock()
	t := x.tty
	if s.sessions[x.id] != x { // it was deleted meanwhile
		err = os.ErrNotExist
	} else if t == nil {
		if t, err = s.openTTY(x, size); err == nil {
			x.tty = t
		}
	}
	s.mu.Unlock()
	if err != nil {
		_ = c.Close(websocket.StatusInternalError, "no shell")
		return
	}
	s.connect(ctx, cancel, c, x, t)
}

// connect joins a websocket and a shell until one of them ends.
func (s *Server) connect(ctx context.Context, cancel context.CancelFunc, c *websocket.Conn, x *session, t *tty) {
	if s.opt.Tmux && x.mux == "tmux" {
		defer func() { // the client goes, the server of the multiplexer stays
			s.mu.Lock()
			x.tty = nil
			s.mu.Unlock()
			_ = t.cmd.Process.Signal(os.Interrupt)
			t.kill()
		}()
	}
	out := t.attach()
	defer t.detach()
	detached := make(chan struct{})
	s.wg.Go(func() {
		defer cancel()
		keys(ctx, c, x, t, detached)
	})
	defer func() {
		if x.mux == "" {
			t.kill()
			s.mu.Lock()
			delete(s.sessions, x.id) // a session without a multiplexer ends with its connection
			s.mu.Unlock()
		}
	}()
	for {
		select {
		case b := <-out:
			if !s.send(ctx, c, b) {
				return
			}
		case <-t.done:
			for len(out) > 0 {
				s.send(ctx, c, <-out)
			}
			_ = c.Write(ctx, websocket.MessageText, []byte(`{"type":"exit"}`))
			_ = c.Close(websocket.StatusNormalClosure, "")
			return
		case <-detached:
			_ = c.Write(ctx, websocket.MessageText, []byte(`{"type":"detached"}`))
			_ = c.Close(websocket.StatusNormalClosure, "")
			return
		case <-s.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// send splits output anywhere.
func (s *Server) send(ctx context.Context, c *websocket.Conn, b []byte) bool {
	for len(b) > 0 {
		if s.dropped() {
			return false
		}
		n := 1 + rand.IntN(min(len(b), 8192))
		if c.Write(ctx, websocket.MessageBinary, b[:n]) != nil {
			return false
		}
		b = b[n:]
	}
	return true
}

// firstFrame reads the size that a client must send first.
func firstFrame(ctx context.Context, c *websocket.Conn) (*pty.Winsize, bool) {
	typ, b, err := c.Read(ctx)
	var size struct {
		Type       string
		Cols, Rows uint16
	}
	if err != nil || typ != websocket.MessageText || json.Unmarshal(b, &size) != nil || size.Type != "resize" {
		return nil, false
	}
	return &pty.Winsize{Cols: size.Cols, Rows: size.Rows}, true
}

// keys passes on what is typed. With a multiplexer Ctrl-B d detaches.
func keys(ctx context.Context, c *websocket.Conn, x *session, t *tty, detached chan struct{}) {
	for {
		typ, b, err := c.Read(ctx)
		if err != nil {
			return
		}
		if typ != websocket.MessageBinary {
			continue
		}
		if x.mux != "" && strings.Contains(string(b), "\x02d") {
			close(detached)
			<-ctx.Done()
			return
		}
		if _, err := t.file.Write(b); err != nil {
			return
		}
	}
}
