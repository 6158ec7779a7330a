// Package leftover makes files and folders that go away again even when their maker was
// killed: each is locked as long as its maker lives, and whoever makes the next one removes
// those of its user that are locked no more.
//
// It does not know what is in them, nor where they lie.
package leftover
