package unsandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"github.com/nbterm/nbterm/kernelclient"
)

// maxFrame bounds one frame of a session's terminal, in bytes.
const maxFrame = 16 << 20

// The size that a session's terminal is told to have: no line of a link is broken.
const terminalSize = `{"type":"resize","cols":1200,"rows":50}`

// shell connects to the terminal of a session. Its first frame, the size, is sent.
func (c *Client) shell(ctx context.Context, s Session) (*websocket.Conn, error) {
	u := *c.base
	u.Path = c.base.Path + sessionPath(s.ID, "shell")
	u.Scheme = map[string]string{"https": "wss", "http": "ws"}[u.Scheme]
	if s.socket != "" {
		given, err := url.Parse(s.socket)
		if err != nil || given.Scheme != "wss" && (given.Scheme != "ws" || u.Scheme != "ws") {
			return nil, &kernelclient.Error{Kind: kernelclient.Protocol, What: "Unsandbox names no usable address of the session's terminal"}
		}
		u = *given
	}
	creds, err := c.Credentials()
	if err != nil {
		return nil, err
	}
	h := http.Header{"User-Agent": {"nbterm/" + c.opt.Version}, "Origin": {c.base.Scheme + "://" + c.base.Host}}
	c.sign(h, creds, http.MethodGet, u.EscapedPath(), nil)
	ws, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: h, Subprotocols: []string{"unsandbox-shell"}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			return nil, c.refused(call{method: http.MethodGet, path: sessionPath(s.ID, "shell")}, answer{status: resp.StatusCode, header: resp.Header}, creds)
		}
		return nil, c.unreachable(ctx, err)
	}
	ws.SetReadLimit(maxFrame)
	if err := ws.Write(ctx, websocket.MessageText, []byte(terminalSize)); err != nil {
		_ = ws.CloseNow()
		return nil, c.unreachable(ctx, err)
	}
	if s.Multiplexer != "" { // it shows what was there only when something is typed
		if err := ws.Write(ctx, websocket.MessageBinary, []byte("\n")); err != nil {
			_ = ws.CloseNow()
			return nil, c.unreachable(ctx, err)
		}
	}
	return ws, nil
}

// control is what a text frame says: "exit", "detached", or something that is new.
func control(frame []byte) string {
	var m struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(frame, &m) != nil {
		return ""
	}
	return m.Type
}
