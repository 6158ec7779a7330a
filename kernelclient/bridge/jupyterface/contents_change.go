package jupyterface

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// saved is what a client wants to be at a place.
type saved struct {
	Type     string          `json:"type"`
	Format   string          `json:"format"`
	Ext      string          `json:"ext"`
	CopyFrom string          `json:"copy_from"`
	Path     string          `json:"path"`
	Content  json.RawMessage `json:"content"`
	Chunk    *int            `json:"chunk"`
}

func invalid(what string) error { return &fswatch.Error{Kind: fswatch.Invalid, What: what} }

// bytes is the file that s describes.
func (s saved) bytes() ([]byte, error) {
	if s.Type == "notebook" {
		return writeNotebook(s.Content)
	}
	var content string
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return nil, invalid("No file content provided")
	}
	switch s.Format {
	case "text":
		return []byte(content), nil
	case "base64":
		data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(content, "\n", ""))
		if err != nil {
			return nil, invalid("the content is no base64")
		}
		return data, nil
	}
	return nil, invalid("Must specify format of file contents as 'text' or 'base64'")
}

// putContents saves a file, or makes a folder.
func (f *Face) putContents(w http.ResponseWriter, r *http.Request) {
	var s saved
	if !read(w, r, &s) {
		return
	}
	p := f.here(r)
	switch {
	case s.Chunk != nil:
		refuse(w, http.StatusBadRequest, "files are saved in one piece here")
		return
	case s.CopyFrom != "":
		refuse(w, http.StatusBadRequest, "Cannot copy with PUT, only POST")
		return
	}
	_, err := f.look(r.Context(), p)
	status := http.StatusOK
	if errors.Is(err, fswatch.NotFound) {
		status = http.StatusCreated
	}
	if s.Type == "" && s.Content == nil { // an empty notebook or file, by its name
		err = f.create(r.Context(), p, kindOf(p.api))
	} else {
		err = f.save(r.Context(), p, s)
	}
	if err != nil {
		refuseFor(w, err)
		return
	}
	f.answerAbout(w, r, p, status)
}

// save writes what s says. The folder must be there: a client that means another place
// learns it.
func (f *Face) save(ctx context.Context, p place, s saved) error {
	if above := f.at(path.Dir("/" + p.api)); p.api != "" {
		if e, err := f.look(ctx, above); err != nil || !e.IsDir() {
			return &fswatch.Error{Kind: fswatch.NotFound, What: "No such directory: " + above.api}
		}
	}
	switch s.Type {
	case "directory":
		_, err := f.opt.Files.Mkdir(ctx, p.file)
		return err
	case "file", "notebook":
	default:
		return invalid("Unhandled contents type: " + s.Type)
	}
	data, err := s.bytes()
	if err != nil {
		return err
	}
	return f.write(ctx, p, data, fswatch.WriteOptions{})
}

func (f *Face) write(ctx context.Context, p place, data []byte, opt fswatch.WriteOptions) error {
	_, err := f.opt.Files.Write(ctx, []fswatch.File{{Path: p.file, Body: bytes.NewReader(data), Size: int64(len(data))}}, opt)
	return err
}

// answerAbout answers with the model of what is now at a place.
func (f *Face) answerAbout(w http.ResponseWriter, r *http.Request, p place, status int) {
	e, err := f.look(r.Context(), p)
	if err != nil {
		refuseFor(w, err)
		return
	}
	if status == http.StatusCreated {
		w.Header().Set("Location", (&url.URL{Path: "/api/contents/" + p.api}).EscapedPath())
	}
	answer(w, status, describe(p, e))
}

// newContents makes something new in a folder under a name that is free, copies a file, or
// makes a checkpoint.
func (f *Face) newContents(w http.ResponseWriter, r *http.Request) {
	if file, id, ok := checkpointPath(r.PathValue("path")); ok {
		f.postCheckpoint(w, r, f.at(file), id)
		return
	}
	var s saved
	if !read(w, r, &s) {
		return
	}
	dir := f.here(r)
	if e, err := f.look(r.Context(), dir); err != nil || !e.IsDir() {
		refuse(w, http.StatusNotFound, "No such directory: "+dir.api)
		return
	}
	var p place
	var err error
	if s.CopyFrom != "" {
		p, err = f.copy(r.Context(), dir, f.at(s.CopyFrom))
	} else {
		p, err = f.untitled(r.Context(), dir, s)
	}
	if err != nil {
		refuseFor(w, err)
		return
	}
	f.answerAbout(w, r, p, http.StatusCreated)
}

// kindOf is what a file of a name is.
func kindOf(name string) string {
	if strings.HasSuffix(name, ".ipynb") {
		return "notebook"
	}
	return "file"
}

// create makes an empty file, notebook or folder where nothing is.
func (f *Face) create(ctx context.Context, p place, kind string) error {
	switch kind {
	case "directory":
		created, err := f.opt.Files.Mkdir(ctx, p.file)
		if err == nil && !created {
			err = &fswatch.Error{Kind: fswatch.Exists, What: p.api + " is there already"}
		}
		return err
	case "notebook":
		return f.write(ctx, p, []byte(emptyNotebook), fswatch.WriteOptions{New: true})
	}
	return f.write(ctx, p, nil, fswatch.WriteOptions{New: true})
}

// untitled makes something new, named as Jupyter Server names it.
func (f *Face) untitled(ctx context.Context, dir place, s saved) (place, error) {
	kind := s.Type
	if kind == "" {
		kind = kindOf(s.Ext)
	}
	name, gap, ext := "untitled", "", s.Ext
	switch kind {
	case "notebook":
		name, ext = "Untitled", ".ipynb"
	case "directory":
		name, gap, ext = "Untitled Folder", " ", ""
	case "file":
	default:
		return place{}, invalid("Unexpected type: " + kind)
	}
	return f.free(dir, name, gap, ext, func(p place) error { return f.create(ctx, p, kind) })
}

// free calls make with one name after another until one was not taken.
func (f *Face) free(dir place, name, gap, ext string, create func(place) error) (place, error) {
	for i := range 10_000 {
		number := ""
		if i > 0 {
			number = gap + strconv.Itoa(i)
		}
		p := f.at(path.Join(dir.api, name+number+ext))
		if err := create(p); !errors.Is(err, fswatch.Exists) {
			return p, err
		}
	}
	return place{}, &fswatch.Error{Kind: fswatch.Exists, What: "no name is free in " + dir.api}
}

// copy copies a file into a folder.
func (f *Face) copy(ctx context.Context, dir, from place) (place, error) {
	data, err := f.data(ctx, from)
	if err != nil {
		return place{}, err
	}
	base, ext := path.Base(from.api), path.Ext(from.api)
	name := strings.TrimSuffix(base, ext)
	write := func(p place) error { return f.write(ctx, p, data, fswatch.WriteOptions{New: true}) }
	if path.Dir("/"+from.api) != path.Join("/", dir.api) {
		p := f.at(path.Join(dir.api, base))
		if err := write(p); !errors.Is(err, fswatch.Exists) {
			return p, err
		}
	}
	return f.free(dir, name+"-Copy", "", ext, func(p place) error {
		if strings.HasSuffix(p.api, "-Copy"+ext) { // they are counted from 1
			return &fswatch.Error{Kind: fswatch.Exists}
		}
		return write(p)
	})
}

// moveContents gives something another path.
func (f *Face) moveContents(w http.ResponseWriter, r *http.Request) {
	var s saved
	if !read(w, r, &s) {
		return
	}
	from, to := f.here(r), f.at(s.Path)
	if s.Path == "" || from.api == "" {
		refuse(w, http.StatusBadRequest, "The root cannot be moved, nor anything to it")
		return
	}
	if _, err := f.opt.Files.Move(r.Context(), from.file, to.file, fswatch.MoveOptions{}); err != nil && from != to {
		refuseFor(w, err)
		return
	}
	f.answerAbout(w, r, to, http.StatusOK)
}

// deleteContents removes a file or an empty folder.
func (f *Face) deleteContents(w http.ResponseWriter, r *http.Request) {
	if file, id, ok := checkpointPath(r.PathValue("path")); ok && id != "" {
		f.deleteCheckpoint(w, r, f.at(file), id)
		return
	}
	p := f.here(r)
	e, err := f.opt.Files.Stat(r.Context(), p.file)
	if err == nil && e.IsDir() && !e.Link {
		var below []fswatch.Entry
		if below, err = f.opt.Files.List(r.Context(), p.file, fswatch.ListOptions{Quick: true}); err == nil && len(below) > 0 {
			err = invalid("Directory " + p.api + " not empty")
		}
	}
	if err == nil {
		err = f.opt.Files.Remove(r.Context(), p.file)
	}
	if err != nil {
		refuseFor(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
