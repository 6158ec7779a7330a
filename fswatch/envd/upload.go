package envd

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"
)

// written is what the answer says of a file.
type written struct {
	Metadata map[string]string `json:"metadata,omitempty"`
	Name     string            `json:"name"`
	Path     string            `json:"path"`
	Type     string            `json:"type"`
}

// upload writes the files of a request.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	q, ok := s.query(w, r, Write)
	if !ok {
		return
	}
	files, err := s.receive(r, q)
	if err != nil {
		report(w, noSpace(r, err))
		return
	}
	answer(w, files)
}

// noSpace says in envd's words how much did not fit.
func noSpace(r *http.Request, err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	if r.ContentLength >= 0 {
		return status(http.StatusInsufficientStorage, "attempted to write %d bytes: not enough disk space available", r.ContentLength)
	}
	return status(http.StatusInsufficientStorage, "not enough disk space available")
}

// receive checks a request in envd's order and writes what it brings. On an error, files that
// are whole stay.
func (s *Server) receive(r *http.Request, q url.Values) ([]written, error) {
	body, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	if err := s.user(q.Get("username")); err != nil {
		return nil, err
	}
	meta, err := metadataOf(r.Header)
	if err != nil {
		return nil, status(http.StatusBadRequest, "invalid metadata: %w", err)
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/octet-stream":
		if q.Get("path") == "" {
			return nil, status(http.StatusBadRequest, "path query parameter is required for raw body upload")
		}
		one, err := s.store(q.Get("path"), body, meta)
		return []written{one}, err
	case strings.HasPrefix(kind, "multipart/"):
		return s.parts(multipart.NewReader(body, params["boundary"]), params["boundary"], q.Get("path"), meta)
	}
	return nil, status(http.StatusBadRequest, "unsupported content type: %s, expected multipart/form-data or application/octet-stream", r.Header.Get("Content-Type"))
}

// unpacked is the body as it was before the client compressed it.
func unpacked(r *http.Request) (io.Reader, error) {
	switch enc := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); enc {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, status(http.StatusBadRequest, "failed to create gzip reader: %w", err)
		}
		return z, nil
	default:
		return nil, status(http.StatusBadRequest, "unsupported Content-Encoding: %s, supported: [gzip]", enc)
	}
}

// parts writes each part named "file": to the path of the request, else to its own.
func (s *Server) parts(form *multipart.Reader, boundary, to string, meta map[string]string) ([]written, error) {
	if boundary == "" {
		return nil, errors.New("error parsing multipart form: no multipart boundary param in Content-Type")
	}
	list := []written{}
	seen := map[string]bool{}
	for {
		part, err := form.NextRawPart()
		if err == io.EOF { //nolint:errorlint // a wrapped one is a body that was cut off
			return list, nil
		}
		if err != nil {
			return list, fmt.Errorf("error reading form: %w", err)
		}
		field, name := disposition(part.Header.Get("Content-Disposition"))
		if field != "file" {
			continue
		}
		if to != "" {
			name = to
		}
		if name == "" {
			return list, status(http.StatusBadRequest, "there is neither a path nor a file name")
		}
		full, err := s.resolve(name)
		if err != nil {
			return list, status(http.StatusBadRequest, "%w", errors.Unwrap(err))
		}
		if seen[full] {
			return list, status(http.StatusBadRequest, "you cannot upload multiple files to the same path '%s' in one upload request", full)
		}
		seen[full] = true
		one, err := s.store(name, part, meta)
		if err != nil {
			return list, err
		}
		list = append(list, one)
	}
}

// disposition is a part's field and file name, folders and all: the standard library's
// FileName would keep the last element only.
func disposition(header string) (field, file string) {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		return "", ""
	}
	return params["name"], params["filename"]
}

// store writes one file in place, as envd does: readers may see half of it. Who wants more
// uploads beside it and moves.
func (s *Server) store(to string, body io.Reader, meta map[string]string) (written, error) {
	name, err := s.resolve(to)
	if err != nil {
		return written{}, status(http.StatusBadRequest, "%w", errors.Unwrap(err))
	}
	p, err := s.target(name)
	if err != nil {
		return written{}, err
	}
	f, err := s.tree.root.OpenFile(p.rel, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return written{}, fmt.Errorf("error opening file: %w", at("open", name, err))
	}
	stored, err := s.fill(f, name, !p.missing, body, meta)
	if err = errors.Join(err, f.Close()); err != nil {
		return written{}, err
	}
	return written{Name: path.Base(name), Path: name, Type: "file", Metadata: stored}, nil
}

// target finds the place of a file that is to be written and makes the folders above it.
func (s *Server) target(name string) (place, error) {
	if !utf8.ValidString(name) {
		return place{}, status(http.StatusBadRequest, "the path is not valid UTF-8")
	}
	p, err := s.tree.find(name, true)
	if err != nil {
		return p, fmt.Errorf("error resolving path: %w", at("open", name, err))
	}
	if p.missing {
		above := s.parents(p)
		if above == nil && strings.HasSuffix(name, "/") {
			above = s.tree.root.MkdirAll(p.rel, 0o755) // envd makes it, and then finds a folder
		}
		if above != nil {
			return p, fmt.Errorf("error ensuring directories: %w", at("mkdir", path.Dir(name), above))
		}
	}
	info, err := s.tree.root.Lstat(p.rel)
	switch {
	case err == nil && info.IsDir():
		return p, status(http.StatusBadRequest, "path is a directory: %s", name)
	case err == nil && !info.Mode().IsRegular():
		return p, errSpecial(name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return p, fmt.Errorf("error getting file info: %w", at("stat", name, err))
	}
	return p, nil
}

// fill gives an open file its owner, contents and metadata, and returns the last as stored.
func (s *Server) fill(f *os.File, name string, existed bool, body io.Reader, meta map[string]string) (map[string]string, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errSpecial(name)
	}
	if existed && os.Geteuid() == 0 {
		if err := f.Chown(0, 0); err != nil {
			return nil, fmt.Errorf("error changing ownership: %w", at("chown", name, err))
		}
	}
	if existed {
		if err := f.Truncate(0); err != nil {
			return nil, fmt.Errorf("error opening file: %w", at("open", name, err))
		}
	}
	if _, err := io.Copy(f, body); err != nil {
		return nil, fmt.Errorf("error writing file: %w", at("write", name, err))
	}
	old := fileAttributes(f)
	if err := setAttributes(f, old, meta); err != nil {
		return nil, fmt.Errorf("error setting metadata: %w", at("setxattr", name, err))
	}
	return fileAttributes(f), nil
}
