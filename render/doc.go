// Package render turns cell sources and outputs into styled lines.
//
// A Block answers for any window of its lines at any width, so that the screen pays for
// what is visible only. Lines hold no escape sequences but SGR, whatever the notebook
// holds, and each starts from and ends in the reset state: they can be drawn in any
// order and place.
//
// The package knows notebook/mime and themes; it knows no kernels, documents or screens.
package render
