package contents

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nbterm/nbterm/fswatch"
)

// Doer sends requests to a Jupyter server. jupyterserver.Host is one.
type Doer interface {
	// Do sends a request to a path of the server, unescaped. An answer of any status is no
	// error, unless the server does not know who asks: then status says so (401, 403, or a
	// redirection) beside the error.
	Do(ctx context.Context, method, path string, query url.Values, body []byte) (status int, answer []byte, err error)
}

// FS is the files of one Jupyter server.
type FS struct {
	server Doer
	name   string
}

var _ fswatch.FS = (*FS)(nil)

// New is the files of the server that d speaks to. name is what people know it by. It
// connects to nothing yet.
func New(d Doer, name string) *FS { return &FS{server: d, name: name} }

// Capabilities is fswatch.FS's.
func (f *FS) Capabilities() fswatch.Capabilities {
	return fswatch.Capabilities{Name: f.name, Remote: true, Entries: true, Ordered: false, Atomic: true}
}

// Root is fswatch.FS's: the server's root.
func (f *FS) Root(context.Context) (fswatch.Path, error) { return "/", nil }

// Close is fswatch.FS's.
func (f *FS) Close() error { return nil }

// model is one thing as the server describes it.
type model struct {
	Name     string          `json:"name"`
	Path     string          `json:"path"`
	Type     string          `json:"type"` // directory, file or notebook
	Format   string          `json:"format"`
	Size     *int64          `json:"size"`
	Modified time.Time       `json:"last_modified"`
	Content  json.RawMessage `json:"content"`
}

// clean is the one spelling of a path.
func clean(p fswatch.Path) string { return path.Join("/", p) }

// check refuses paths that no server could mean.
func check(p fswatch.Path) error {
	switch {
	case strings.Contains(p, "\x00"):
		return fail(fswatch.Invalid, p, "has a NUL byte")
	case !utf8.ValidString(p):
		return fail(fswatch.Unsupported, p, "is no UTF-8, which a Jupyter server cannot carry")
	}
	for part := range strings.SplitSeq(p, "/") {
		if len(part) > 255 {
			return fail(fswatch.Invalid, p, "is too long")
		}
	}
	return nil
}

func fail(kind fswatch.Kind, p fswatch.Path, what string) error {
	return &fswatch.Error{Kind: kind, What: p + " " + what}
}

// ask sends a request about a path and reads the model that comes back, if one does.
func (f *FS) ask(ctx context.Context, method string, p fswatch.Path, query url.Values, in any) (m model, err error) {
	if err := check(p); err != nil {
		return m, err
	}
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return m, fail(fswatch.Failed, p, err.Error())
		}
	}
	status, answer, err := f.server.Do(ctx, method, "/api/contents"+strings.TrimSuffix(clean(p), "/"), query, body)
	switch {
	case ctx.Err() != nil:
		return m, ctx.Err()
	case err != nil && status != 0:
		return m, &fswatch.Error{Kind: fswatch.Unauthenticated, What: err.Error()}
	case err != nil:
		return m, &fswatch.Error{Kind: fswatch.Disconnect, What: err.Error(), Err: timeout(err)}
	case status >= 300:
		return m, refusal(status, answer, p)
	case len(answer) == 0:
		return m, nil
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return m, &fswatch.Error{Kind: fswatch.Protocol, What: "the server's answer about " + p + " cannot be read"}
	}
	return m, nil
}

// timeout is err if it says that a clock ran out, for those who ask.
func timeout(err error) error {
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return err
	}
	return nil
}

// refusal is the error of a status.
func refusal(status int, answer []byte, p fswatch.Path) error {
	var said struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(answer, &said) // no words then
	e := &fswatch.Error{Kind: fswatch.Failed, What: fmt.Sprintf("%s: the server answers %d (%s)", p, status, http.StatusText(status))}
	if said.Message != "" {
		e.What += ": " + strings.Join(strings.Fields(said.Message), " ")
	}
	switch status {
	case http.StatusNotFound:
		e.Kind, e.What = fswatch.NotFound, p+" is not there"
	case http.StatusConflict:
		e.Kind = fswatch.Exists
	case http.StatusBadRequest:
		e.Kind = fswatch.Invalid
	case http.StatusForbidden, http.StatusUnauthorized:
		e.Kind = fswatch.Permission
	case http.StatusTooManyRequests:
		e.Kind = fswatch.RateLimited
	case http.StatusInsufficientStorage, http.StatusRequestEntityTooLarge:
		e.Kind = fswatch.NoSpace
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Kind = fswatch.Disconnect
	}
	return e
}

// entry describes a model under the path that was asked for.
func (m model) entry(shown fswatch.Path) fswatch.Entry {
	e := fswatch.Entry{Name: path.Base(shown), Path: shown, Type: fswatch.TypeFile, ModTime: m.Modified}
	if m.Type == "directory" {
		e.Type = fswatch.TypeDir
	}
	if m.Size != nil {
		e.Size = *m.Size
	}
	return e
}

// absolute is a path as entries show it.
func absolute(p fswatch.Path) fswatch.Path {
	if path.IsAbs(p) && p != "/" {
		return strings.TrimRight(p, "/")
	}
	return clean(p)
}

// bytes is the content of a file's model.
func (m model) bytes() ([]byte, error) {
	var text string
	if err := json.Unmarshal(m.Content, &text); err != nil {
		return nil, &fswatch.Error{Kind: fswatch.Protocol, What: "the server sends no content of " + m.Path}
	}
	if m.Format != "base64" {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		return nil, &fswatch.Error{Kind: fswatch.Protocol, What: "the content of " + m.Path + " is no base64"}
	}
	return data, nil
}
