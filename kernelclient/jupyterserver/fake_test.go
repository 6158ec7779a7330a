package jupyterserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// fake is a Jupyter server in this process, with kernels whose code is a script of the test:
// "say X" prints, "hold" waits for release, "die" ends the kernel and has another started.
type fake struct {
	*httptest.Server
	protocol string // of the websockets, "" for the older form
	allow    func(w http.ResponseWriter, r *http.Request) bool
	release  chan struct{} // one token lets one hold go on

	mu       sync.Mutex // guards all below
	kernels  map[string]*fakeKernel
	last     int
	requests []string // method and path
	headers  []http.Header
}

// fakeKernel keeps what it says while nobody listens, as jupyter_server does.
type fakeKernel struct {
	server  *fake
	id      string
	number  int // of its messages
	pid     int
	count   int
	ws      map[string]*websocket.Conn // by session
	kept    [][]byte
	forget  bool // it does not keep what it says
	unheard int  // messages that it did not keep
	code    chan jupyter.Message
	ended   chan struct{}
}

func newFake(t *testing.T, tlsToo bool) *fake {
	f := &fake{protocol: jupyter.WebsocketV1, kernels: map[string]*fakeKernel{}, release: make(chan struct{})}
	f.allow = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "token "+testToken {
			return true
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message": "Forbidden"}`))
		return false
	}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates are what tests want
	if tlsToo {
		f.StartTLS()
	} else {
		f.Start()
	}
	t.Cleanup(func() {
		f.mu.Lock()
		for _, k := range f.kernels {
			k.drop()
			close(k.ended)
		}
		f.mu.Unlock()
		f.Close()
	})
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	f.headers = append(f.headers, r.Header.Clone())
	f.mu.Unlock()
	if !f.allow(w, r) {
		return
	}
	_, path, _ := strings.Cut(r.URL.Path, "/api")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/kernelspecs":
		_, _ = w.Write([]byte(`{"default":"python3","kernelspecs":{"python3":{"name":"python3","spec":{"display_name":"Python 3","language":"python"}},"ir":{"spec":{"language":"R"}}}}`))
	case path == "/kernels" && r.Method == http.MethodGet:
		f.list(w)
	case path == "/kernels" || path == "/sessions" && r.Method == http.MethodPost:
		f.create(w, path == "/sessions")
	case path == "/sessions":
		_, _ = w.Write([]byte(`[]`))
	case len(parts) >= 2 && parts[0] == "kernels":
		f.one(w, r, parts[1], parts[2:])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *fake) list(w http.ResponseWriter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []map[string]any{}
	for id := range f.kernels {
		all = append(all, map[string]any{"id": id, "name": "python3", "execution_state": "idle"})
	}
	_ = json.NewEncoder(w).Encode(all)
}

func (f *fake) create(w http.ResponseWriter, session bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	k := &fakeKernel{server: f, id: fmt.Sprintf("kernel-%d", f.last), pid: 1, ws: map[string]*websocket.Conn{}, code: make(chan jupyter.Message, 100), ended: make(chan struct{})}
	f.kernels[k.id] = k
	go k.work()
	model := map[string]any{"id": k.id, "name": "python3", "execution_state": "starting"}
	if session {
		model = map[string]any{"id": "session-1", "kernel": model}
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(model)
}

func (f *fake) one(w http.ResponseWriter, r *http.Request, id string, action []string) {
	f.mu.Lock()
	k := f.kernels[id]
	if k == nil {
		f.mu.Unlock()
		if len(action) == 1 && action[0] == "restart" { // as jupyter_server does
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message": "Kernel does not exist: ` + id + `"}`))
		return
	}
	switch {
	case len(action) == 1 && action[0] == "channels":
		f.mu.Unlock()
		k.channels(w, r)
		return
	case len(action) == 1 && action[0] == "restart":
		k.pid, k.count = k.pid+1, 0
	case r.Method == http.MethodDelete:
		f.end(id)
		w.WriteHeader(http.StatusNoContent)
	}
	f.mu.Unlock()
	if r.Method != http.MethodDelete {
		_, _ = w.Write([]byte(`{"id":"` + id + `","name":"python3","execution_state":"idle"}`))
	}
}

// end ends a kernel without a word. mu is held.
func (f *fake) end(id string) {
	if k := f.kernels[id]; k != nil {
		delete(f.kernels, id)
		close(k.ended)
		k.drop()
	}
}

// drop breaks the websockets. The server's mu is held.
func (k *fakeKernel) drop() {
	for _, ws := range k.ws {
		_ = ws.CloseNow()
	}
	clear(k.ws)
}

// only is the one kernel there is.
func (f *fake) only(t *testing.T) *fakeKernel {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.kernels {
		return k
	}
	t.Fatal("the server has no kernel")
	return nil
}

func (k *fakeKernel) channels(w http.ResponseWriter, r *http.Request) {
	var opt websocket.AcceptOptions
	if k.server.protocol != "" {
		opt.Subprotocols = []string{k.server.protocol}
	}
	ws, err := websocket.Accept(w, r, &opt)
	if err != nil {
		return
	}
	ws.SetReadLimit(-1)
	session := r.URL.Query().Get("session_id")
	k.server.mu.Lock()
	if old := k.ws[session]; old != nil {
		_ = old.CloseNow()
	}
	k.ws[session] = ws
	for _, data := range k.kept {
		_ = ws.Write(context.Background(), websocket.MessageBinary, data)
	}
	k.kept = nil
	k.server.mu.Unlock()
	for {
		typ, data, err := ws.Read(context.Background())
		if err != nil {
			break
		}
		m, err := jupyter.DecodeWebsocket(data, typ == websocket.MessageBinary, k.server.protocol)
		if err == nil {
			k.code <- m
		}
	}
	k.server.mu.Lock()
	defer k.server.mu.Unlock()
	if k.ws[session] == ws {
		delete(k.ws, session)
	}
	_ = ws.CloseNow()
}

// say sends a message, or keeps it.
func (k *fakeKernel) say(channel jupyter.Channel, parent jupyter.Header, typ, content string) {
	k.server.mu.Lock()
	defer k.server.mu.Unlock()
	session := fmt.Sprintf("%s/%d", k.id, k.pid)
	m := jupyter.Message{
		Channel: channel, Header: jupyter.Header{ID: fmt.Sprintf("%s_%d_%d", session, k.pid, k.number), Type: typ, Session: session},
		Parent: parent, Content: rawjson.Value(content),
	}
	k.number++
	data, isBinary := jupyter.EncodeWebsocket(m, k.server.protocol)
	kind := websocket.MessageText
	if isBinary {
		kind = websocket.MessageBinary
	}
	heard := false
	for _, ws := range k.ws {
		heard = ws.Write(context.Background(), kind, data) == nil || heard
	}
	if heard {
		return
	}
	if k.forget {
		k.unheard++
		return
	}
	k.kept = append(k.kept, data)
}

func (k *fakeKernel) work() {
	for {
		select {
		case m := <-k.code:
			k.do(m)
		case <-k.ended:
			return
		}
	}
}

func (k *fakeKernel) do(m jupyter.Message) {
	k.say(jupyter.IOPub, m.Header, "status", `{"execution_state":"busy"}`)
	switch m.Header.Type {
	case "kernel_info_request":
		k.say(m.Channel, m.Header, "kernel_info_reply", `{"status":"ok","language_info":{"name":"python"}}`)
	case "execute_request":
		k.count++
		k.say(jupyter.IOPub, m.Header, "execute_input", fmt.Sprintf(`{"execution_count":%d}`, k.count))
		for line := range strings.Lines(m.Content.Get("code").Str()) {
			if !k.step(m.Header, strings.TrimSpace(line)) {
				return
			}
		}
		k.say(jupyter.Shell, m.Header, "execute_reply", fmt.Sprintf(`{"status":"ok","execution_count":%d}`, k.count))
	}
	k.say(jupyter.IOPub, m.Header, "status", `{"execution_state":"idle"}`)
}

// step runs one line of code; false if the kernel has died of it.
func (k *fakeKernel) step(parent jupyter.Header, line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "say":
		k.say(jupyter.IOPub, parent, "stream", fmt.Sprintf(`{"name":"stdout","text":%q}`, rest+"\n"))
	case "hold":
		select {
		case <-k.server.release:
		case <-k.ended:
		}
	case "die":
		k.server.mu.Lock()
		k.pid++
		k.server.mu.Unlock()
		k.say(jupyter.IOPub, jupyter.Header{}, "status", `{"execution_state":"restarting"}`)
		return false
	}
	return true
}
