package jupyterface

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/fswatch/localfs"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/internal/wireio"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

const testToken = "tok-of-the-tests"

// fakeKernels start kernels in memory.
type fakeKernels struct {
	mu       sync.Mutex
	launched []*fakeProcess
	starts   []kernelclient.StartSpec
	broken   error // what a launch fails with
}

func (f *fakeKernels) Kernels(context.Context) ([]kernelclient.Kernel, error) {
	return []kernelclient.Kernel{
		{Name: "fake", DisplayName: "A fake", Language: "words"},
		{Name: "gone", Broken: "its program is not there"},
		{Name: kernelclient.BuiltinShell},
		{Name: kernelclient.BuiltinPython, DisplayName: "Python", Language: "python", Found: "built in"},
	}, nil
}

func (f *fakeKernels) Launcher(_ context.Context, start kernelclient.StartSpec) (jupyter.Launcher, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.starts = append(f.starts, start)
	return f, nil
}

func (f *fakeKernels) Retries() int { return 0 }

func (f *fakeKernels) Launch(context.Context, int) (jupyter.Kernel, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	p := &fakeProcess{out: wireio.NewQueue[jupyter.Message](), died: make(chan struct{}), interrupts: make(chan struct{}, 10)}
	f.launched = append(f.launched, p)
	return p, nil
}

func (f *fakeKernels) last() *fakeProcess {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.launched[len(f.launched)-1]
}

// fakeProcess is a kernel and its connection. Code that begins with "say " is put out, "ask"
// asks for a line, "die" ends the kernel.
type fakeProcess struct {
	out        *wireio.Queue[jupyter.Message]
	died       chan struct{}
	once       sync.Once
	interrupts chan struct{}
	mu         sync.Mutex
	got        []jupyter.Message
}

func (p *fakeProcess) Conn() jupyter.Conn             { return p }
func (p *fakeProcess) Died() <-chan struct{}          { return p.died }
func (p *fakeProcess) Death() *kernelclient.Death     { return &kernelclient.Death{Last: "last words"} }
func (p *fakeProcess) PID() int                       { return 0 }
func (p *fakeProcess) Recv() (jupyter.Message, error) { return p.out.Pop(context.Background()) }
func (p *fakeProcess) Close() error                   { p.out.End(io.EOF); return nil }

func (p *fakeProcess) Interrupt() (bool, error) {
	p.interrupts <- struct{}{}
	return true, nil
}

func (p *fakeProcess) Stop(context.Context) error {
	p.die()
	return nil
}

func (p *fakeProcess) die() {
	p.once.Do(func() {
		close(p.died)
		p.out.End(io.EOF)
	})
}

func (p *fakeProcess) say(channel jupyter.Channel, to jupyter.Message, typ, content string, buffers ...[]byte) {
	p.out.Push(jupyter.Message{
		Channel: channel, Header: jupyter.Header{ID: newID(), Type: typ, Session: "the kernel"}, Parent: to.Header,
		WholeParent: to.WholeHeader, Content: []byte(content), Buffers: buffers,
	}, 1)
}

func (p *fakeProcess) Send(_ context.Context, m jupyter.Message) error {
	p.mu.Lock()
	p.got = append(p.got, m)
	p.mu.Unlock()
	status := func(s string) { p.say(jupyter.IOPub, m, "status", `{"execution_state":"`+s+`"}`) }
	switch code := m.Content.Get("code").Str(); {
	case m.Header.Type == "kernel_info_request":
		status("busy")
		p.say(jupyter.Shell, m, "kernel_info_reply", `{"status":"ok"}`)
		status("idle")
	case m.Header.Type == "comm_msg":
		p.say(jupyter.IOPub, m, "comm_msg", `{}`, m.Buffers...)
	case strings.HasPrefix(code, "say "):
		status("busy")
		text, _ := json.Marshal(code[4:])
		p.say(jupyter.IOPub, m, "stream", `{"name":"stdout","text":`+string(text)+`}`)
		p.say(jupyter.Shell, m, "execute_reply", `{"status":"ok"}`)
		status("idle")
	case code == "ask":
		status("busy")
		p.say(jupyter.Stdin, m, "input_request", `{"prompt":"? "}`)
	case code == "die":
		p.die()
	}
	return nil
}

// served is a face with kernels in memory.
type served struct {
	*fakeKernels
	t    *testing.T
	face *Face
	url  string
	root string
	log  *bytes.Buffer // to be read after the test's requests
}

func fake(t *testing.T, change ...func(*Options)) *served {
	t.Helper()
	s := &served{fakeKernels: &fakeKernels{}, t: t, root: t.TempDir(), log: &bytes.Buffer{}}
	files, err := localfs.New(localfs.Options{Root: s.root, Confined: true})
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Kernels: s, Files: files, Root: s.root, Token: testToken, Log: slog.New(slog.NewTextHandler(s.log, nil))}
	for _, f := range change {
		f(&opt)
	}
	if s.face, err = New(opt); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.face)
	s.url = server.URL
	t.Cleanup(func() {
		if err := s.face.Close(context.Background()); err != nil {
			t.Error(err)
		}
		server.Close()
		_ = files.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// ask sends a request with the token and returns its status and answer.
func (s *served) ask(method, path, body string) (int, string) {
	s.t.Helper()
	status, answer, _ := s.askAs(method, path, body, http.Header{"Authorization": {"token " + testToken}})
	return status, answer
}

func (s *served) askAs(method, path, body string, header http.Header) (int, string, http.Header) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = header
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(data), resp.Header
}

// json sends a request that must succeed with a status, and reads its answer.
func (s *served) json(method, path, body string, want int) (m map[string]any) {
	s.t.Helper()
	status, text := s.ask(method, path, body)
	if err := json.Unmarshal([]byte(text), &m); err != nil || status != want {
		s.t.Fatalf("%s %s: %d, not %d: %s", method, path, status, want, text)
	}
	return m
}

// start starts a kernel and returns its id.
func (s *served) start() string {
	s.t.Helper()
	return s.json("POST", "/api/kernels", `{"name":"fake"}`, http.StatusCreated)["id"].(string)
}

// socket is a client's websocket.
type socket struct {
	t  *testing.T
	ws *websocket.Conn
}

func (s *served) dial(id, session string, protocols ...string) *socket {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.t.Context(), s.url+"/api/kernels/"+id+"/channels?token="+testToken+"&session_id="+session, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	return &socket{s.t, ws}
}

// send sends a message in the form that was agreed on.
func (c *socket) send(m jupyter.Message) {
	c.t.Helper()
	data, isBinary := jupyter.EncodeWebsocket(m, c.ws.Subprotocol())
	typ := websocket.MessageText
	if isBinary {
		typ = websocket.MessageBinary
	}
	if err := c.ws.Write(c.t.Context(), typ, data); err != nil {
		c.t.Fatal(err)
	}
}

// run sends code under a message id.
func (c *socket) run(id, code string) {
	c.t.Helper()
	text, _ := json.Marshal(code)
	c.send(jupyter.Message{Channel: jupyter.Shell, Header: jupyter.Header{ID: id, Type: "execute_request", Session: "s"}, Content: []byte(`{"code":` + string(text) + `}`)})
}

// next is the next message.
func (c *socket) next() jupyter.Message {
	c.t.Helper()
	typ, data, err := c.ws.Read(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := jupyter.DecodeWebsocket(data, typ == websocket.MessageBinary, c.ws.Subprotocol())
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// until returns the types of what comes up to a message of a type on a channel, and that.
func (c *socket) until(channel jupyter.Channel, typ string) (jupyter.Message, string) {
	c.t.Helper()
	var types []string
	for {
		m := c.next()
		types = append(types, m.Header.Type)
		if m.Channel == channel && m.Header.Type == typ {
			return m, strings.Join(types, " ")
		}
	}
}

// idle reads up to the end of a run.
func (c *socket) idle() (words string) {
	c.t.Helper()
	for {
		m := c.next()
		words += " " + m.Header.Type
		if m.Header.Type == "stream" {
			words += "=" + m.Content.Get("text").Str()
		}
		if m.Content.Get("execution_state").Str() == "idle" {
			return strings.TrimSpace(words)
		}
	}
}
