package envd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// The version of envd that brought a feature. An older one would ignore what asks for it.
const (
	sinceRecursive = "0.1.4"
	sinceUser      = "0.4.0" // before it, the user has to be named
	sinceOctet     = "0.5.7" // uploads as plain bytes, and compressed ones
	sinceMetadata  = "0.6.2"
	sinceEntries   = "0.6.3"
	sinceNetwork   = "0.6.4"
)

// older tells whether a version is known and before another.
func older(version, than string) bool {
	if version == "" {
		return false
	}
	a, b := numbers(version), numbers(than)
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// numbers are the three numbers of a version; what is none counts as 0.
func numbers(version string) (n [3]int) {
	for i, s := range strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3) {
		if end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			s = s[:end]
		}
		n[i], _ = strconv.Atoi(s) // 0 where it is none
	}
	return n
}

// needs refuses what a known old version cannot do.
func (f *FS) needs(since, option string) error {
	if !older(f.opt.Version, since) {
		return nil
	}
	return &fswatch.Error{
		Kind: fswatch.Unsupported,
		What: fmt.Sprintf("%s needs envd %s, and this sandbox has %s", option, since, f.opt.Version),
		Next: "make a sandbox of a newer template, or do without it",
	}
}
