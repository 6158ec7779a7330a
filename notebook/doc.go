// Package notebook is the document: the cells of a notebook, the closed set of
// operations on them, one undo history, and snapshots to be saved.
//
// It must not know where outputs come from, how anything is drawn, or how a file gets
// to disk. A run's outputs are given to it; they are no undo steps.
package notebook
