//go:build !unix

package localfs

import (
	"io/fs"
	"os"

	"github.com/nbterm/nbterm/fswatch"
)

type names struct{}

func (*names) of(fs.FileInfo) (owner, group string) { return "", "" }

func mayRead(fswatch.Path, bool) bool { return true }

func soleName(fs.FileInfo) bool { return true }

func likeOwner(*os.File, fs.FileInfo) error { return nil }
