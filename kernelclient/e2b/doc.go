// Package e2b runs code in sandboxes of E2B: the code interpreter's HTTP stream as a
// kernelclient.Driver, and as much of the control plane as sandboxes' lives need.
//
// Client speaks to one code interpreter, Cloud to the control plane, and Host puts the two
// together. Settings that are not given are read from the environment as E2B's own SDKs
// read them. It is checked against captured streams, the SDKs' behaviour and servers made
// for tests, not against the live cloud.
package e2b
