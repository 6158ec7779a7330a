// Package ansi turns what a program wrote for a terminal into lines that are safe to show.
//
// It honours what shapes text – newlines, carriage returns, backspaces, tabs, cursor
// movement among recent lines, erasing in a line – and keeps SGR (colours and
// attributes). Every other escape sequence is removed, so that no output can drive the
// reader's terminal. All work is done once, when the text arrives; drawing wraps only the
// lines that are asked for.
//
// The package knows nothing of cells, kernels or themes.
package ansi
