// Package find searches the cells of a notebook, and replaces in their sources.
//
// It is pure: it takes cells, which never change, and returns places. It knows nothing of
// how cells are drawn, nor of any terminal library.
package find
