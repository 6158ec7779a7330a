// Package relay is a TCP relay for tests of what a bad network does: it stalls, cuts,
// delays and splits the connections between a client and a server. It listens on a
// loopback port of its own and ends with its test.
//
// It must not know what the bytes that it carries mean.
package relay
