// Package fswatch is the files of one place behind one interface, FS, and what changes in
// them: the events of a Stream, the dirty folders of a Watcher, one File.
//
// The rooms below fill FS: localfs this machine, memfs the memory, for tests; fswatchtest is
// the conformance suite for all of them. Where a system cannot report changes, the folders
// are looked at every two seconds.
//
// It knows names, times and bytes. It must not know what the bytes mean, nor notebooks.
package fswatch
