//go:build !unix

package local

// shellOf returns "": the built-in shell kernel needs Unix.
func shellOf(environ) string { return "" }
