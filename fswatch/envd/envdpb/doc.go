// Package envdpb is generated from filesystem.proto, which was written from what envd says
// on the wire: messages, and the stubs of both ends. `make proto` generates it anew.
package envdpb
