// Package session joins a document with a code context: which kernel, which execution
// belongs to which cell, what its outputs are by now. The screen and `nbterm run` both
// sit on it.
//
// A Session belongs to one goroutine, as its document does; only Next,
// Complete and Inspect may be called from another. It knows nothing of screens, and of hosts only what kernelclient promises.
package session
