package jupyterface

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/nbterm/nbterm/fswatch"
)

// contentModel is a file or folder in the words of the REST interface.
type contentModel struct {
	Name     string  `json:"name"`
	Path     string  `json:"path"` // below the root, without a slash at its ends
	Modified string  `json:"last_modified"`
	Created  string  `json:"created"`
	Content  any     `json:"content"`
	Format   *string `json:"format"` // of Content: json, text or base64
	Mimetype *string `json:"mimetype"`
	Size     *int64  `json:"size"`
	Writable bool    `json:"writable"`
	Type     string  `json:"type"` // directory, file or notebook
	Hash     *string `json:"hash"`
	HashKind *string `json:"hash_algorithm"`
}

// place is a path of the REST interface.
type place struct {
	api  string       // below the root, "" for the root
	file fswatch.Path // where that is
}

// at is the place of a path that a client names, which never leads out of the root by its
// own words. Whether symlinks do is up to the Files.
func (f *Face) at(p string) place {
	clean := strings.TrimPrefix(path.Join("/", p), "/")
	return place{clean, path.Join(filepath.ToSlash(f.opt.Root), clean)}
}

func (f *Face) here(r *http.Request) place { return f.at(r.PathValue("path")) }

// look describes what is at a place; of a symlink what it leads to.
func (f *Face) look(ctx context.Context, p place) (fswatch.Entry, error) {
	e, err := f.opt.Files.Stat(ctx, p.file)
	if err == nil && e.Link {
		var target fswatch.Entry
		if target, err = f.opt.Files.Stat(ctx, e.Target); err == nil {
			target.Name = e.Name
			e = target
		}
	}
	if errors.Is(err, fswatch.Invalid) { // below a file, where nothing can be
		err = &fswatch.Error{Kind: fswatch.NotFound, What: "No such file or directory: " + p.api}
	}
	return e, err
}

// describe is the model of an entry, without its content.
func describe(p place, e fswatch.Entry) contentModel {
	m := contentModel{
		Name: path.Base("/" + p.api), Path: p.api, Modified: stamp(e.ModTime), Created: stamp(e.ModTime), Type: "file",
		Writable: e.Mode.Perm()&0o200 != 0 || e.Mode == 0,
	}
	if p.api == "" {
		m.Name = ""
	}
	switch {
	case e.IsDir():
		m.Type = "directory"
		return m
	case strings.HasSuffix(p.api, ".ipynb"):
		m.Type = "notebook"
	}
	size := e.Size
	m.Size = &size
	return m
}

// getContents answers for a folder, a file or a notebook.
func (f *Face) getContents(w http.ResponseWriter, r *http.Request) {
	if file, id, ok := checkpointPath(r.PathValue("path")); ok && id == "" {
		f.listCheckpoints(w, r, f.at(file))
		return
	}
	p, q := f.here(r), r.URL.Query()
	e, err := f.look(r.Context(), p)
	if err != nil {
		refuseFor(w, err)
		return
	}
	m := describe(p, e)
	want := q.Get("type")
	switch {
	case want == "directory" && m.Type != "directory":
		refuse(w, http.StatusBadRequest, p.api+" is not a directory")
		return
	case m.Type == "directory" && want != "" && want != "directory":
		refuse(w, http.StatusBadRequest, p.api+" is a directory, not a "+want)
		return
	case m.Type != "directory" && want != "":
		m.Type = want
	}
	if q.Get("content") != "0" {
		if err = f.fill(r.Context(), &m, p, q.Get("format"), q.Get("hidden") == "1"); err != nil {
			refuseFor(w, err)
			return
		}
	}
	if q.Get("hash") == "1" && m.Type != "directory" {
		if err = f.hash(r.Context(), &m, p); err != nil {
			refuseFor(w, err)
			return
		}
	}
	answer(w, http.StatusOK, m)
}

// fill reads the content of what m describes.
func (f *Face) fill(ctx context.Context, m *contentModel, p place, format string, hidden bool) error {
	if m.Type == "directory" {
		return f.fillFolder(ctx, m, p, hidden)
	}
	data, err := f.data(ctx, p)
	if err != nil {
		return err
	}
	if m.Type == "notebook" {
		notebook, err := readNotebook(data)
		if err != nil {
			return &fswatch.Error{Kind: fswatch.Invalid, What: "Unreadable Notebook: " + p.api, Err: err}
		}
		m.Content, m.Format = notebook, text("json")
		return nil
	}
	kind := mime.TypeByExtension(path.Ext(p.api))
	if format == "text" && !utf8.Valid(data) {
		return &fswatch.Error{Kind: fswatch.Invalid, What: p.api + " is not UTF-8 encoded"}
	}
	if format == "base64" || !utf8.Valid(data) {
		m.Content, m.Format = base64.StdEncoding.EncodeToString(data), text("base64")
		m.Mimetype = text("application/octet-stream")
	} else {
		m.Content, m.Format = string(data), text("text")
		m.Mimetype = text("text/plain")
	}
	if kind != "" {
		kind, _, _ = strings.Cut(kind, ";")
		m.Mimetype = &kind
	}
	return nil
}

func text(s string) *string { return &s }

func (f *Face) fillFolder(ctx context.Context, m *contentModel, p place, hidden bool) error {
	entries, err := f.opt.Files.List(ctx, p.file, fswatch.ListOptions{})
	if err != nil {
		return err
	}
	children := []contentModel{}
	for _, e := range entries {
		if !hidden && strings.HasPrefix(e.Name, ".") || e.Type != fswatch.TypeDir && e.Type != fswatch.TypeFile || !utf8.ValidString(e.Name) {
			continue // what Jupyter Server does not show, and what JSON cannot name
		}
		children = append(children, describe(place{api: path.Join(p.api, e.Name)}, e))
	}
	m.Content, m.Format = children, text("json")
	return nil
}

// data is a whole file.
func (f *Face) data(ctx context.Context, p place) ([]byte, error) {
	body, _, err := f.opt.Files.Open(ctx, p.file, fswatch.Range{})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func (f *Face) hash(ctx context.Context, m *contentModel, p place) error {
	data, err := f.data(ctx, p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	m.Hash, m.HashKind = text(hex.EncodeToString(sum[:])), text("sha256")
	return nil
}
