// Package diff tells how two versions of a notebook differ: cell by cell, and within a
// cell's source line by line. It must not know how that is shown.
package diff
