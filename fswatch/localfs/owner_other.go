//go:build !unix

package localfs

import (
	"io/fs"
	"os"

	"github.com/nbterm/nbterm/fswatch"
)

type names struct{}

func (*names) of(uid, gid uint32) (owner, group string) { return "", "" }

func ids(fs.FileInfo) (uid, gid uint32, ok bool) { return 0, 0, false }

func mayRead(fswatch.Path, bool) bool { return true }

func soleName(fs.FileInfo) bool { return true }

func likeOwner(*os.File, fs.FileInfo) error { return nil }
