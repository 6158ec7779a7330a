package envd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"connectrpc.com/connect"

	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// service is the Filesystem calls. Their error codes and words are envd's, so that a client
// made for it meets nothing new.
type service struct{ s *Server }

var _ envdpb.FilesystemHandler = service{}

// coded gives an error its code: that of a bad path, or internal, which is what envd says of
// everything that the system refuses.
func coded(doing string, err error) error {
	code := connect.CodeInternal
	switch {
	case errors.Is(err, errOutside), errors.Is(err, errSomeHome):
		code = connect.CodeInvalidArgument
	case errors.Is(err, errCycle):
		code = connect.CodeFailedPrecondition
	}
	if doing != "" {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return connect.NewError(code, err)
}

// resolve is the path that a request means.
func (s *Server) resolve(p string) (string, error) {
	if p == "" {
		p = s.workdir()
	}
	p, err := expand(p, s.home())
	if err != nil {
		return "", connect.NewError(connect.CodeInvalidArgument, err)
	}
	return p, nil
}

// Stat tells about one entry.
func (v service) Stat(_ context.Context, req *connect.Request[envdpb.StatRequest]) (*connect.Response[envdpb.StatResponse], error) {
	name, err := v.s.resolve(req.Msg.GetPath())
	if err != nil {
		return nil, err
	}
	e, err := v.s.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("file not found: %w", err))
	}
	if err != nil {
		return nil, coded("error getting file info", err)
	}
	return connect.NewResponse(&envdpb.StatResponse{Entry: e}), nil
}

// ListDir lists a folder.
func (v service) ListDir(_ context.Context, req *connect.Request[envdpb.ListDirRequest]) (*connect.Response[envdpb.ListDirResponse], error) {
	name, err := v.s.resolve(req.Msg.GetPath())
	if err != nil {
		return nil, err
	}
	p, err := v.s.folder(name)
	if err != nil {
		return nil, err
	}
	dir, err := v.s.tree.root.OpenRoot(p.rel)
	if err != nil {
		return nil, coded("error reading directory", at("open", name, err))
	}
	defer dir.Close()
	list, err := v.s.list(nil, dir, name, max(req.Msg.GetDepth(), 1))
	if err != nil {
		return nil, coded("error reading directory", at("open", name, err))
	}
	return connect.NewResponse(&envdpb.ListDirResponse{Entries: list}), nil
}

// folder finds the folder at name, through links.
func (s *Server) folder(name string) (place, error) {
	p, err := s.tree.find(name, true)
	if err != nil {
		return p, notFolder(name, err)
	}
	info, err := s.tree.root.Lstat(p.rel)
	if err != nil {
		return p, notFolder(name, err)
	}
	if !info.IsDir() {
		return p, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("path is not a directory: %s", name))
	}
	return p, nil
}

func notFolder(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return connect.NewError(connect.CodeNotFound, fmt.Errorf("path not found: %w", at("stat", name, err)))
	}
	return coded("error getting path", at("stat", name, err))
}

// MakeDir makes a folder and those above it.
func (v service) MakeDir(_ context.Context, req *connect.Request[envdpb.MakeDirRequest]) (*connect.Response[envdpb.MakeDirResponse], error) {
	name, err := v.s.resolve(req.Msg.GetPath())
	if err != nil {
		return nil, err
	}
	if err := v.s.free(name); err != nil {
		return nil, err
	}
	p, err := v.s.tree.find(name, false)
	if err == nil {
		err = v.s.tree.root.MkdirAll(p.rel, 0o755)
	}
	if err != nil {
		return nil, coded("error creating directory", at("mkdir", name, err))
	}
	e, err := v.s.stat(name)
	if err != nil {
		return nil, coded("error getting file info", err)
	}
	return connect.NewResponse(&envdpb.MakeDirResponse{Entry: e}), nil
}

// free says why a folder cannot be made at name.
func (s *Server) free(name string) error {
	p, err := s.tree.find(name, true)
	if err != nil {
		return coded("error getting file info", at("stat", name, err))
	}
	info, err := s.tree.root.Lstat(p.rel)
	switch {
	case err == nil && info.IsDir():
		return connect.NewError(connect.CodeAlreadyExists, fmt.Errorf("directory already exists: %s", name))
	case err == nil:
		return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("path already exists but it is not a directory: %s", name))
	case !errors.Is(err, fs.ErrNotExist):
		return coded("error getting file info", at("stat", name, err))
	}
	if at, err := s.tree.find(name, false); err == nil && !at.missing {
		return coded("error creating directory", &fs.PathError{Op: "mkdir", Path: name, Err: syscall.EEXIST}) // a link that leads nowhere
	}
	return nil
}

// Move renames.
func (v service) Move(_ context.Context, req *connect.Request[envdpb.MoveRequest]) (*connect.Response[envdpb.MoveResponse], error) {
	from, err := v.s.resolve(req.Msg.GetSource())
	if err != nil {
		return nil, err
	}
	to, err := v.s.resolve(req.Msg.GetDestination())
	if err != nil {
		return nil, err
	}
	if err := v.s.move(from, to); err != nil {
		if errors.Is(err, errMissing) {
			return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("source file not found: %w", at("rename", from, fs.ErrNotExist)))
		}
		return nil, coded("error renaming", err)
	}
	e, err := v.s.stat(to)
	if err != nil {
		return nil, coded("error getting file info", err)
	}
	return connect.NewResponse(&envdpb.MoveResponse{Entry: e}), nil
}

// errMissing says that what is to be moved does not exist.
var errMissing = errors.New("there is nothing to move")

// move makes the destination's parents first, as envd does even where there is no source.
func (s *Server) move(from, to string) error {
	dst, err := s.tree.find(to, false)
	if err != nil {
		return at("rename", to, err)
	}
	if err := s.parents(dst); err != nil {
		return at("mkdir", path.Dir(to), err)
	}
	src, err := s.tree.find(from, false)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at("rename", from, err)
	}
	if err != nil || src.missing {
		return errMissing
	}
	if src.rel == "." || s.protects(from) {
		return at("rename", from, syscall.EBUSY)
	}
	if src.rel == dst.rel {
		return nil
	}
	if info, err := s.tree.root.Lstat(dst.rel); err == nil && info.IsDir() {
		return at("rename", to, syscall.EEXIST)
	}
	return at("rename", from, s.tree.root.Rename(src.rel, dst.rel))
}

// parents makes the folders above a place.
func (s *Server) parents(p place) error {
	if above := path.Dir(p.rel); above != "." {
		return s.tree.root.MkdirAll(above, 0o755)
	}
	return nil
}

// protects tells whether a path is the served folder or lies above it.
func (s *Server) protects(name string) bool {
	name = path.Clean(name)
	return name == "/" || name == s.tree.real || name == s.tree.alias || s.tree.above[name]
}

// Remove removes a file, a link or a whole tree. Nothing at all is never what was meant:
// envd takes an empty path for the whole home folder.
func (v service) Remove(_ context.Context, req *connect.Request[envdpb.RemoveRequest]) (*connect.Response[envdpb.RemoveResponse], error) {
	name, err := v.s.resolve(req.Msg.GetPath())
	if err != nil {
		return nil, err
	}
	if req.Msg.GetPath() == "" || v.s.protects(name) {
		return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("%q is the served folder or above it and cannot be removed", req.Msg.GetPath()))
	}
	if strings.HasSuffix(name, "/.") {
		return nil, coded("error removing file or directory", &fs.PathError{Op: "RemoveAll", Path: name, Err: syscall.EINVAL})
	}
	p, err := v.s.tree.find(strings.TrimRight(name, "/"), false)
	if err == nil && p.rel == "." {
		err = errOutside
	}
	if err == nil && !p.missing {
		err = v.s.tree.root.RemoveAll(p.rel)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, coded("error removing file or directory", at("unlinkat", name, err))
	}
	return connect.NewResponse(&envdpb.RemoveResponse{}), nil
}
