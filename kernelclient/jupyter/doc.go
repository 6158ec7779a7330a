// Package jupyter speaks the Jupyter messaging protocol 5.x as a client: one Driver over
// any Conn (zmq, websocket, pipe), and one table that turns messages into events.
//
// It does not know how a kernel was found or started (a Launcher does), nor what a cell,
// a document or a terminal is.
package jupyter
