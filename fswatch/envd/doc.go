// Package envd is the file service of E2B's sandbox daemon, both ends of it: a client that
// is a file system like the local one, and a server that E2B's own SDKs accept.
//
// Three channels share one port: metadata, folders and watching go by Connect calls
// (envdpb), contents by plain HTTP under /files, set-up and health by small JSON requests.
// The client was made against what envd 0.6.13 says on the wire, and so was the server,
// which differs from it where envd trusts the virtual machine around it: see Server.
//
// The package must not know notebooks, nor who embeds the server.
package envd
