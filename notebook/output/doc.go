// Package output folds a context's events into the outputs of cells: one reducer for
// the screen, headless runs, snapshots and tests.
//
// It knows events and outputs, and of a cell no more than its key. It must not know
// documents, kernels or how anything is drawn.
package output
