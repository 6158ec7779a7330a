//go:build !unix

package unsandbox

import "io/fs"

// readableByOthers is not known here: modes say nothing.
func readableByOthers(fs.FileInfo) bool { return false }
