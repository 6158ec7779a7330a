package envd

import (
	"io/fs"
	"os"
	"os/user"
	"path"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// owners remembers the names of numeric ids: a folder asks for the same few again and again.
type owners struct {
	mu     sync.Mutex // guards both
	users  map[uint32]string
	groups map[uint32]string
}

func (o *owners) user(id uint32) string {
	return lookup(&o.mu, &o.users, id, func(s string) (string, error) {
		u, err := user.LookupId(s)
		if err != nil {
			return "", err
		}
		return u.Username, nil
	})
}

func (o *owners) group(id uint32) string {
	return lookup(&o.mu, &o.groups, id, func(s string) (string, error) {
		g, err := user.LookupGroupId(s)
		if err != nil {
			return "", err
		}
		return g.Name, nil
	})
}

// lookup is the name of an id, or the number where there is no name.
func lookup(mu *sync.Mutex, names *map[uint32]string, id uint32, find func(string) (string, error)) string {
	mu.Lock()
	defer mu.Unlock()
	if name, ok := (*names)[id]; ok {
		return name
	}
	number := strconv.FormatUint(uint64(id), 10)
	name, err := find(number)
	if err != nil {
		name = number
	}
	if *names == nil {
		*names = map[uint32]string{}
	}
	(*names)[id] = name
	return name
}

// stat describes what is at path, a link itself.
func (s *Server) stat(name string) (*envdpb.EntryInfo, error) {
	p, err := s.tree.find(name, false)
	if err != nil {
		return nil, at("lstat", name, err)
	}
	info, err := s.tree.root.Lstat(p.rel)
	if err != nil {
		return nil, at("lstat", name, err)
	}
	attrs := attributes(s.tree.root, p.rel)
	return s.entry(name, info, attrs), nil
}

// entry is the description of what Lstat found.
func (s *Server) entry(name string, info fs.FileInfo, attrs map[string]string) *envdpb.EntryInfo {
	e := &envdpb.EntryInfo{
		Name: path.Base(name), Path: name, Size: info.Size(), Permissions: info.Mode().String(),
		Type: fileType(info.Mode()), Mode: uint32(info.Mode().Perm()), Metadata: attrs,
	}
	if uid, gid, ok := ids(info); ok {
		e.Owner, e.Group = s.owners.user(uid), s.owners.group(gid)
	}
	if t := info.ModTime(); t.UnixNano() != 0 {
		e.ModifiedTime = timestamppb.New(t)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		s.follow(e)
	}
	return e
}

// follow gives the entry of a link the type and mode of where it leads in the end. What is
// outside of the root leads nowhere.
func (s *Server) follow(e *envdpb.EntryInfo) {
	own := e.Path
	e.Type, e.Mode, e.SymlinkTarget = envdpb.FileType_FILE_TYPE_UNSPECIFIED, 0, &own
	p, err := s.tree.find(e.Path, true)
	if err != nil || p.missing {
		return
	}
	info, err := s.tree.root.Lstat(p.rel)
	if err != nil {
		return
	}
	target := s.tree.real
	if p.rel != "." {
		target = join(s.tree.real, p.rel)
	}
	if utf8.ValidString(target) {
		e.SymlinkTarget = &target
	}
	e.Type, e.Mode = fileType(info.Mode()), uint32(info.Mode().Perm())
}

func fileType(m fs.FileMode) envdpb.FileType {
	switch {
	case m.IsRegular():
		return envdpb.FileType_FILE_TYPE_FILE
	case m.IsDir():
		return envdpb.FileType_FILE_TYPE_DIRECTORY
	}
	return envdpb.FileType_FILE_TYPE_UNSPECIFIED
}

// list appends what is in a folder, some levels deep, in pre-order. Names that are not text
// cannot be told on this wire and are left out; so is what vanishes meanwhile, and what a
// folder below has that may not be read.
func (s *Server) list(entries []*envdpb.EntryInfo, dir *os.Root, name string, depth uint32) ([]*envdpb.EntryInfo, error) {
	f, err := dir.Open(".")
	if err != nil {
		return entries, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return entries, err
	}
	slices.Sort(names)
	for _, n := range names {
		if !utf8.ValidString(n) {
			continue
		}
		info, err := dir.Lstat(n)
		if err != nil {
			continue
		}
		entries = append(entries, s.entry(path.Join(name, n), info, attributesIn(f, n)))
		if depth <= 1 || !info.IsDir() {
			continue
		}
		below, err := dir.OpenRoot(n)
		if err != nil {
			continue
		}
		entries, _ = s.list(entries, below, path.Join(name, n), depth-1)
		_ = below.Close() // nothing was written
	}
	return entries, nil
}
