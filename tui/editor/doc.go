// Package editor is the text editor of one cell: lines, a cursor that moves by whole
// characters as people see them (grapheme clusters), selection, typing aids, and the
// drawing of what is visible.
//
// It holds no undo history: every edit comes back as the Changes that were made, for the
// owner of the document to record. It must not know of keys, of Bubble Tea, of cells or of
// notebooks. An Editor belongs to one goroutine.
package editor
