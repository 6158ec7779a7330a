// Package formatter lets a program of the user's format the source of a cell: ruff or black
// for Python, gofmt for Go and so on. It finds the program and runs it on text.
//
// It must not know of the screen or of notebooks. It runs nothing but what the user has
// installed for that, and only when it is called.
package formatter
