//go:build !linux

package fswatch

// Reports tells whether the system knows of all changes in a folder: nil, or why it does not.
func Reports(string) error { return nil }
