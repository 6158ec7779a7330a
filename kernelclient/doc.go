// Package kernelclient is what runs code, seen from above: a Host has Contexts, and a
// Context is a log of events that anybody may follow from a cursor.
//
// A new kind of host implements the small Driver (one run at a time, output handed to a
// Sink) and gets a Context from OpenLog, which adds numbering, the queue, the one end of
// every execution, clocks and spilling. The packages below this one are the hosts that
// exist. None of them knows documents or terminals.
package kernelclient
