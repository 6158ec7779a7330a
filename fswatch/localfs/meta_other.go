//go:build !linux

package localfs

import (
	"os"

	"github.com/nbterm/nbterm/fswatch"
)

const hasMeta = false

func readMeta(fswatch.Path) map[string]string { return nil }

func writeMeta(*os.File, map[string]string) error { return nil }

func clearMeta(*os.File) {}
