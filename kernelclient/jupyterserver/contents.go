package jupyterserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/nbterm/nbterm/kernelclient"
)

// contentModel is a file of the server (REST, "contents").
type contentModel struct {
	Name     string          `json:"name"`
	Path     string          `json:"path"`
	Type     string          `json:"type"`   // directory, file or notebook
	Format   string          `json:"format"` // of Content: text, base64 or json
	Modified string          `json:"last_modified"`
	Writable *bool           `json:"writable"`
	Content  json.RawMessage `json:"content"`
}

// File is one file of the server's contents, read and written as bytes: a notebook, too,
// comes as it lies there and not as the server understands it. Each call is bounded by the
// request timeout. It may be used from any goroutine.
type File struct {
	client *client
	path   string
}

// File is the file at a path, relative to the server's root. Nothing is asked yet.
func (h *Host) File(path string) *File { return &File{client: h.client, path: strings.Trim(path, "/")} }

// Address is where the file is, without anything secret.
func (f *File) Address() string { return f.client.at.String() + "/" + f.path }

// ErrFolder says that a path is no file but a folder.
var ErrFolder = errors.New("it is a folder")

// Version is what tells one version of a file from another.
type Version struct {
	Modified string // the server's last_modified
	ReadOnly bool
}

func (m contentModel) version() Version {
	return Version{Modified: m.Modified, ReadOnly: m.Writable != nil && !*m.Writable}
}

// Read gets the file. An error NotFound says that there is none.
func (f *File) Read() ([]byte, Version, error) {
	m, err := f.get("text")
	if errors.Is(err, kernelclient.Invalid) { // not UTF-8
		m, err = f.get("base64")
	}
	if err != nil {
		return nil, Version{}, err
	}
	data, err := m.bytes()
	return data, m.version(), err
}

func (f *File) get(format string) (m contentModel, err error) {
	ctx, cancel := f.client.bound(context.Background())
	defer cancel()
	q := url.Values{"type": {"file"}, "format": {format}, "content": {"1"}}
	err = f.client.query(ctx, http.MethodGet, "/api/contents/"+f.path, q, nil, &m)
	if errors.Is(err, kernelclient.Invalid) && f.isFolder() {
		err = ErrFolder
	}
	return m, err
}

// isFolder asks whether the path is a folder: the server refuses one that is asked for as a
// file with the same words as text that it cannot read.
func (f *File) isFolder() bool {
	_, err := f.Stat()
	return errors.Is(err, ErrFolder)
}

// bytes is the content.
func (m contentModel) bytes() ([]byte, error) {
	var text string
	if err := json.Unmarshal(m.Content, &text); err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Protocol, What: "the server sends no content of " + m.Path}
	}
	if m.Format != "base64" {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Protocol, What: "the content of " + m.Path + " is no base64"}
	}
	return data, nil
}

// Stat is Read without the content.
func (f *File) Stat() (Version, error) {
	ctx, cancel := f.client.bound(context.Background())
	defer cancel()
	var m contentModel
	if err := f.client.query(ctx, http.MethodGet, "/api/contents/"+f.path, url.Values{"content": {"0"}}, nil, &m); err != nil {
		return Version{}, err
	}
	if m.Type == "directory" {
		return Version{}, ErrFolder
	}
	return m.version(), nil
}

// Write replaces the file, or makes it.
func (f *File) Write(data []byte) (Version, error) {
	ctx, cancel := f.client.bound(context.Background())
	defer cancel()
	in := map[string]string{"type": "file", "format": "text", "content": string(data)}
	if !utf8.Valid(data) {
		in["format"], in["content"] = "base64", base64.StdEncoding.EncodeToString(data)
	}
	var m contentModel
	if err := f.client.query(ctx, http.MethodPut, "/api/contents/"+f.path, nil, in, &m); err != nil {
		return Version{}, err
	}
	return m.version(), nil
}

// Do sends a request to a path of the server, such as /api/contents, with what lets in. An
// answer of any status is no error; its body is in the server's words and without secrets
// of ours only where it is no error. ctx alone bounds it.
func (h *Host) Do(ctx context.Context, method, path string, query url.Values, body []byte) (status int, answer []byte, err error) {
	c := h.client
	for first := true; ; first = false {
		resp, err := c.once(ctx, method, c.url(path, query), body)
		if err != nil {
			return 0, nil, err
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return 0, nil, c.unreachable(ctx, err)
		}
		if resp.StatusCode >= 300 {
			resp.Body = io.NopCloser(bytes.NewReader(data))
			if r := c.refusal(resp); first && c.letIn(ctx, resp, r) {
				continue
			} else if r.unknown {
				return resp.StatusCode, nil, r.err
			}
		}
		return resp.StatusCode, data, nil
	}
}
