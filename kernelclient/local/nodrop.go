package local

import (
	_ "embed"
	"slices"
)

//go:embed nodrop.py
var noDrop string

// withoutDrops changes the one argv that is ipykernel as Jupyter installs it: it starts the
// same through a few lines that keep iopub from dropping output which we were too slow to
// take. Any other argv is somebody's own and is left alone.
func withoutDrops(argv []string) ([]string, bool) {
	if len(argv) < 4 {
		return argv, false
	}
	at := slices.Index(argv, "-m")
	if at < 1 || len(argv) != at+4 || argv[at+1] != "ipykernel_launcher" || argv[at+2] != "-f" || argv[at+3] != "{connection_file}" {
		return argv, false
	}
	for _, flag := range argv[1:at] { // newer kernelspecs say -Xfrozen_modules=off
		if len(flag) < 3 || flag[:2] != "-X" {
			return argv, false
		}
	}
	return slices.Concat(argv[:at], []string{"-c", noDrop}, argv[at+2:]), true
}
