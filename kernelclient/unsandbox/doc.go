// Package unsandbox runs code at Unsandbox, a service that takes programs as signed REST
// jobs and gives their output when they are over. A Host of it is a kernelclient.Host.
//
// Each cell is a fresh process there unless the kernel says otherwise: nothing lasts from
// one to the next, no output comes while code runs, no input is asked for. What it offers
// instead – a language of each cell's own, sessions that keep files, a session with a
// Python that keeps its variables – has kernels of its own names.
//
// Nothing here knows documents or terminals. Keys are never part of an error, a log or
// anything that is written.
package unsandbox
