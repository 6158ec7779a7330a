//go:build unix

package unsandbox

import "io/fs"

// readableByOthers tells whether other users may read a file.
func readableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o044 != 0 }
