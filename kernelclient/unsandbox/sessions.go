package unsandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// Session is an interactive container: its files last as long as it does.
type Session struct {
	ID          string    `json:"id"`
	Container   string    `json:"container_name,omitempty"`
	Shell       string    `json:"shell,omitempty"`
	Status      string    `json:"status"`
	Left        int       `json:"remaining_ttl,omitempty"` // seconds
	Network     string    `json:"network_mode,omitempty"`
	VCPU        int       `json:"vcpu,omitempty"`
	Multiplexer string    `json:"multiplexer,omitempty"`
	Created     time.Time `json:"created_at,omitzero"`
	socket      string    // where its shell is, "" for the usual place
}

// SessionSpec says what session to create. The zero value is the service's own way.
type SessionSpec struct {
	Network     string        // as of a Program
	TTL         time.Duration // 0 is the service's hour
	Shell       string
	Multiplexer string // "tmux" or "screen": its shell outlasts a connection
	VCPU        int
	Files       []File
}

// CreateSession creates a session.
func (c *Client) CreateSession(ctx context.Context, s SessionSpec) (Session, error) {
	if err := (Program{Language: "bash", Network: s.Network, VCPU: s.VCPU, Files: s.Files}).check(); err != nil {
		return Session{}, err
	}
	w := struct {
		Network     string      `json:"network_mode,omitempty"`
		TTL         int         `json:"ttl,omitempty"`
		Shell       string      `json:"shell,omitempty"`
		Multiplexer string      `json:"multiplexer,omitempty"`
		VCPU        int         `json:"vcpu,omitempty"`
		Files       []inputFile `json:"input_files,omitempty"`
	}{s.Network, int(s.TTL.Seconds()), s.Shell, s.Multiplexer, 0, filesWire(s.Files)}
	if s.VCPU > 1 {
		w.VCPU = s.VCPU
	}
	body, err := encode(w)
	if err != nil {
		return Session{}, err
	}
	a, err := c.do(ctx, call{method: http.MethodPost, path: "/sessions", body: body})
	if err != nil {
		return Session{}, err
	}
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		return Session{}, notUnderstood("/sessions", err)
	}
	x := sessionOf(o)
	if x.ID == "" {
		return x, &kernelclient.Error{Kind: kernelclient.Protocol, What: "no session_id in response of Unsandbox to /sessions"}
	}
	x.Multiplexer = s.Multiplexer
	return x, nil
}

func sessionOf(o object) Session {
	return Session{
		ID: o.str("session_id", "id"), Container: o.str("container_name"), Shell: o.str("shell"), Status: o.str("status"),
		Left: o.num("remaining_ttl"), Network: o.str("network_mode"), VCPU: o.num("vcpu"), Multiplexer: o.str("multiplexer"),
		Created: o.when("created_at"), socket: o.str("websocket_url"),
	}
}

// Sessions lists the account's sessions.
func (c *Client) Sessions(ctx context.Context) ([]Session, error) {
	a, err := c.idempotent(ctx, call{method: http.MethodGet, path: "/sessions"})
	if err != nil {
		return nil, err
	}
	items, err := list(a.body, "sessions")
	if err != nil {
		return nil, notUnderstood("/sessions", err)
	}
	var out []Session
	for _, o := range items {
		out = append(out, sessionOf(o))
	}
	return out, nil
}

// Session asks for one session. One that is gone is NotFound.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	a, err := c.idempotent(ctx, call{method: http.MethodGet, path: sessionPath(id, "")})
	if err != nil {
		return Session{}, err
	}
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		return Session{}, notUnderstood("/sessions/"+id, err)
	}
	return sessionOf(o), nil
}

func sessionPath(id, verb string) string {
	p := "/sessions/" + url.PathEscape(id)
	if verb != "" {
		p += "/" + verb
	}
	return p
}

// DeleteSession ends a session.
func (c *Client) DeleteSession(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: sessionPath(id, ""), limit: limitSubmit})
	return err
}

// Command runs one command in a session: a fresh process among its files. limit is how long
// it may take, 0 is MaxTTL.
func (c *Client) Command(ctx context.Context, session, command string, limit time.Duration) (Job, error) {
	body, err := encode(struct {
		Command string `json:"command"`
	}{command})
	if err != nil {
		return Job{}, err
	}
	if limit == 0 {
		limit = MaxTTL
	}
	a, err := c.do(ctx, call{method: http.MethodPost, path: sessionPath(session, "execute"), body: body, limit: limit + limitSubmit})
	if err != nil {
		return Job{}, err
	}
	j, err := readJob(a.body)
	if err != nil {
		return j, notUnderstood(sessionPath(session, "execute"), err)
	}
	if !j.Over() && j.ID != "" {
		return c.Wait(ctx, j.ID, Waiting{TTL: limit})
	}
	return j, nil
}
