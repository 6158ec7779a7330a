// Package fileops is what a user does to files in the tree: new, rename, move, copy, delete,
// over any fswatch.FS, each with the way back where there is one.
//
// It must not know the screen that asks for it, nor what is asked before.
package fileops
