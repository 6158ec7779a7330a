// Package tree is the model of the pane that shows a directory tree: expanded folders, the
// rows they make, the cursor, filter, order, marks, and how all of it is drawn.
//
// It gets listings and says which it wants. It must not know where they come from, nor
// keys, the mouse or any terminal library.
package tree
