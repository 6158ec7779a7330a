// Package health reads what a kernel uses of this machine: memory and processor time of
// its process and of what it started, and how near the memory is to its end.
//
// It knows processes by their numbers only: nothing of kernels, contexts or screens.
package health
