package envd

import (
	"io/fs"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/envd/envdpb"
)

// entryFrom is what the service tells about an entry.
func entryFrom(e *envdpb.EntryInfo) fswatch.Entry {
	out := fswatch.Entry{
		Name: e.GetName(), Path: e.GetPath(), Size: e.GetSize(), Owner: e.GetOwner(), Group: e.GetGroup(),
		Mode: typeBits(e.GetPermissions()) | fs.FileMode(e.GetMode())&fs.ModePerm, Meta: e.GetMetadata(),
	}
	if t := e.GetModifiedTime(); t != nil {
		out.ModTime = t.AsTime()
	}
	switch e.GetType() {
	case envdpb.FileType_FILE_TYPE_FILE:
		out.Type = fswatch.TypeFile
	case envdpb.FileType_FILE_TYPE_DIRECTORY:
		out.Type = fswatch.TypeDir
	case envdpb.FileType_FILE_TYPE_SYMLINK, envdpb.FileType_FILE_TYPE_UNSPECIFIED:
		out.Type = fswatch.TypeOther
	}
	if e.SymlinkTarget == nil {
		return out
	}
	out.Link, out.Target = true, e.GetSymlinkTarget()
	out.Mode |= fs.ModeSymlink
	if out.Type == fswatch.TypeOther && out.Target == out.Path {
		out.Type, out.Problem = fswatch.TypeNone, fswatch.NotFound
	}
	return out
}

// typeBits are the bits before the permissions in what FileMode.String wrote.
func typeBits(permissions string) fs.FileMode {
	const letters = "dalTLDpSugct?" // as io/fs has them, from the highest bit
	var mode fs.FileMode
	for i := range max(len(permissions)-9, 0) {
		for bit := range letters {
			if permissions[i] == letters[bit] {
				mode |= 1 << (31 - bit)
			}
		}
	}
	return mode
}
