// Package local is the host "this machine": it finds kernelspecs and Python environments,
// starts kernels as processes of ours, and takes everything of them away again.
//
// Looking around starts no process. A kernel runs in a session and process group of its
// own, never holds a pipe to us, and does not outlive this process where the system can
// promise that – unless it is told to, for a later process to adopt it. Kernels that other
// programs started are found by their connection files and never ended.
//
// It does not know the messages that go over a connection (package jupyter does), nor what
// a cell, a document or a terminal is.
package local
