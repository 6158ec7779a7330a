// Package jupyterface serves kernels and files as a Jupyter Server does, by REST and
// websocket, for Jupyter's own clients and whoever speaks like them.
//
// Messages are passed on whole between a client's websocket and the kernel, so that what no
// part of nbterm understands (widgets, debuggers) works all the same. The face only reads
// who a reply is for and whether the kernel is busy. One connection to a kernel serves all
// of its clients.
//
// It must not know how kernels are started, nor what is in a notebook beyond its JSON.
package jupyterface
