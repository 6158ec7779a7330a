package envd

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"syscall"
)

// composition is a request to make one file of several.
type composition struct {
	Sources     []string `json:"source_paths"`
	Destination string   `json:"destination"`
	Username    string   `json:"username"`
}

// compose joins files into one, in one step for whoever reads it, and deletes them.
func (s *Server) compose(w http.ResponseWriter, r *http.Request) {
	one, err := s.joined(r)
	if err != nil {
		report(w, err)
		return
	}
	answer(w, one)
}

func (s *Server) joined(r *http.Request) (written, error) {
	var in composition
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&in); err != nil {
		return written{}, status(http.StatusBadRequest, "invalid request body: %w", err)
	}
	if len(in.Sources) == 0 || in.Destination == "" {
		return written{}, status(http.StatusBadRequest, "source_paths and destination are required")
	}
	if err := s.user(in.Username); err != nil {
		return written{}, err
	}
	name, err := s.resolve(in.Destination)
	if err != nil {
		return written{}, status(http.StatusBadRequest, "%w", errors.Unwrap(err))
	}
	to, err := s.target(name)
	if err != nil {
		return written{}, err
	}
	sources, err := s.sources(in.Sources, to)
	if err != nil {
		return written{}, err
	}
	if err := s.concat(to, sources); err != nil {
		return written{}, err
	}
	for _, p := range sources {
		if err := s.tree.root.Remove(p.rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written{}, fmt.Errorf("error removing source: %w", at("remove", p.path, err))
		}
	}
	return written{Name: path.Base(name), Path: name, Type: "file", Metadata: attributes(s.tree.root, to.rel)}, nil
}

// sources finds the files that are to be joined.
func (s *Server) sources(names []string, to place) ([]place, error) {
	var list []place
	for _, n := range names {
		name, err := s.resolve(n)
		if err != nil {
			return nil, status(http.StatusBadRequest, "%w", errors.Unwrap(err))
		}
		p, err := s.tree.find(name, false)
		var info fs.FileInfo
		if err == nil {
			info, err = s.tree.root.Lstat(p.rel)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, status(http.StatusNotFound, "source file '%s' does not exist", name)
		case err != nil:
			return nil, fmt.Errorf("error getting source info: %w", at("stat", name, err))
		case !info.Mode().IsRegular():
			return nil, status(http.StatusBadRequest, "source '%s' is not a regular file", name)
		case p.rel == to.rel:
			return nil, status(http.StatusBadRequest, "source '%s' is the destination", name)
		}
		list = append(list, p)
	}
	return list, nil
}

// concat writes the sources into a file beside the destination, which then takes its place.
func (s *Server) concat(to place, sources []place) error {
	temp := path.Join(path.Dir(to.rel), "."+rand.Text()+".compose")
	out, err := s.tree.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("error creating file: %w", at("create", to.path, err))
	}
	for _, p := range sources {
		if err = s.appendTo(out, p); err != nil {
			break
		}
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = s.tree.root.Rename(temp, to.rel)
	}
	if err != nil {
		_ = s.tree.root.Remove(temp) // the first error is the one to tell
		return fmt.Errorf("error composing: %w", at("write", to.path, err))
	}
	return nil
}

func (s *Server) appendTo(out io.Writer, p place) error {
	in, err := s.tree.root.OpenFile(p.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errSpecial(p.path)
	}
	_, err = io.Copy(out, in)
	return err
}
