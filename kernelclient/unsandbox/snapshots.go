package unsandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// Snapshot is a copy of a container's disk.
type Snapshot struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	Type    string    `json:"source_type,omitempty"` // "session" or "service"
	Source  string    `json:"source_id,omitempty"`
	Size    int       `json:"size_bytes,omitempty"`
	Locked  bool      `json:"locked"`
	Hot     bool      `json:"hot"` // taken while the container ran
	Created time.Time `json:"created_at,omitzero"`
}

// SnapshotSpec says what to take a snapshot of: one of the two.
type SnapshotSpec struct {
	Session, Service string
	Name             string
	Hot              bool // without stopping it
}

// CreateSnapshot takes a snapshot, in whichever of the two dialects the service speaks, and
// returns its id. An account whose plan has none is Forbidden.
func (c *Client) CreateSnapshot(ctx context.Context, s SnapshotSpec) (string, error) {
	if (s.Session == "") == (s.Service == "") {
		return "", &kernelclient.Error{Kind: kernelclient.Invalid, What: "a snapshot is of a session or of a service"}
	}
	body, err := encode(struct {
		Name string `json:"name,omitempty"`
		Hot  bool   `json:"hot"`
	}{s.Name, s.Hot})
	if err != nil {
		return "", err
	}
	path := sessionPath(s.Session, "snapshot")
	if s.Service != "" {
		path = "/services/" + url.PathEscape(s.Service) + "/snapshot"
	}
	a, err := c.do(ctx, call{method: http.MethodPost, path: path, body: body})
	if isStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed) {
		if a, err = c.otherDialect(ctx, s); isStatus(err, http.StatusNotFound, http.StatusBadRequest) {
			return "", &kernelclient.Error{Kind: kernelclient.NotFound, What: "there is no " + s.what(), Err: err}
		}
	}
	if err != nil {
		return "", err
	}
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		return "", notUnderstood(path, err)
	}
	id := o.str("snapshot_id", "id")
	if id == "" {
		return "", &kernelclient.Error{Kind: kernelclient.Protocol, What: "no id of the snapshot in response of Unsandbox"}
	}
	return id, nil
}

func (s SnapshotSpec) what() string {
	if s.Service != "" {
		return "service " + s.Service
	}
	return "session " + s.Session
}

func (c *Client) otherDialect(ctx context.Context, s SnapshotSpec) (answer, error) {
	body, err := encode(struct {
		Session string `json:"session_id,omitempty"`
		Service string `json:"service_id,omitempty"`
		Name    string `json:"name,omitempty"`
		Hot     bool   `json:"hot"`
	}{s.Session, s.Service, s.Name, s.Hot})
	if err != nil {
		return answer{}, err
	}
	return c.do(ctx, call{method: http.MethodPost, path: "/snapshots", body: body})
}

// Snapshots lists the account's snapshots.
func (c *Client) Snapshots(ctx context.Context) ([]Snapshot, error) {
	a, err := c.idempotent(ctx, call{method: http.MethodGet, path: "/snapshots"})
	if err != nil {
		return nil, err
	}
	items, err := list(a.body, "snapshots")
	if err != nil {
		return nil, notUnderstood("/snapshots", err)
	}
	var out []Snapshot
	for _, o := range items {
		out = append(out, Snapshot{
			ID: o.str("snapshot_id", "id"), Name: o.str("name"), Type: o.str("source_type", "type"), Source: o.str("source_id"),
			Size: o.num("size_bytes"), Locked: o.yes("locked"), Hot: o.yes("hot"), Created: o.when("created_at"),
		})
	}
	return out, nil
}

func snapshotPath(id, verb string) string {
	p := "/snapshots/" + url.PathEscape(id)
	if verb != "" {
		p += "/" + verb
	}
	return p
}

// DeleteSnapshot deletes a snapshot. The service may ask for a code (ClientOptions.OTP).
func (c *Client) DeleteSnapshot(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: snapshotPath(id, "")})
	return err
}

// LockSnapshot protects a snapshot from being deleted, or ends that; the service may ask for
// a code then.
func (c *Client) LockSnapshot(ctx context.Context, id string, lock bool) error {
	verb := "unlock"
	if lock {
		verb = "lock"
	}
	_, err := c.do(ctx, call{method: http.MethodPost, path: snapshotPath(id, verb), body: []byte("{}")})
	return err
}

// RestoreSnapshot makes what a snapshot was taken of what it was then, and returns the id
// of the session or service.
func (c *Client) RestoreSnapshot(ctx context.Context, id string) (string, error) {
	return c.fromSnapshot(ctx, snapshotPath(id, "restore"), []byte("{}"))
}

// CloneSnapshot makes a new session or service (kind) of a snapshot and returns its id.
func (c *Client) CloneSnapshot(ctx context.Context, id, kind, name string) (string, error) {
	body, err := encode(struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"`
	}{cmp.Or(kind, "session"), name})
	if err != nil {
		return "", err
	}
	return c.fromSnapshot(ctx, snapshotPath(id, "clone"), body)
}

func (c *Client) fromSnapshot(ctx context.Context, path string, body []byte) (string, error) {
	a, err := c.do(ctx, call{method: http.MethodPost, path: path, body: body})
	if err != nil {
		return "", err
	}
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		return "", notUnderstood(path, err)
	}
	return o.str("session_id", "service_id", "id"), nil
}
