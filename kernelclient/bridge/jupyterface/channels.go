package jupyterface

import (
	"net/http"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// channels serves a kernel's websocket. Web pages of other origins are refused by Accept.
func (f *Face) channels(w http.ResponseWriter, r *http.Request, k *kernel) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		refuse(w, http.StatusServiceUnavailable, "the server ends")
		return
	}
	f.sockets.Add(1)
	f.mu.Unlock()
	defer f.sockets.Done()
	session := r.URL.Query().Get("session_id")
	if session == "" {
		session = newID()
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{jupyter.WebsocketV1}})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(maxMessage)
	c := newClient(f.ctx, k, session, ws)
	defer c.end()
	k.join(c)
	defer k.part(c)
	c.serve()
}
