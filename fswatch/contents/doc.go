// Package contents is the files of a Jupyter server as an fswatch.FS, by its contents
// interface (REST, /api/contents). It sees what the server shows: hidden names only where
// that allows them, no permission bits, no links. Files go in one piece, in base64.
//
// It knows no authentication: whoever makes one gives a Doer that is let in.
package contents
