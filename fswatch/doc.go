// Package fswatch tells when files change on disk: at once where the system reports it,
// else by looking every two seconds.
//
// It knows names and times. It must not know what is in the files, nor notebooks.
package fswatch
