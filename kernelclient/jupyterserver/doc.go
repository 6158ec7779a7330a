// Package jupyterserver runs code on a Jupyter Server, or on a gateway that speaks its REST
// and websocket interfaces: kernelspecs, kernels, sessions and contents by REST, messages
// by websocket. Kernels are started, interrupted, restarted and ended by the server. A
// connection that breaks is made again while the kernel goes on.
//
// It must not know documents or the screen. Nothing secret that it is given appears in an
// error, in a context's description or in what it logs.
package jupyterserver
