// Package memfs is files in memory as an fswatch.FS: for tests of what sits on one. It has
// the errors and the events of the others, and switches for their weaknesses.
package memfs
