// Package fswatchtest is the conformance suite for every fswatch.FS: the same operations give
// the same results, errors and events, and leave the same files behind.
package fswatchtest
