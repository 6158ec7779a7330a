// Package unsandboxtest is a server that answers like Unsandbox, for tests and for trying
// nbterm without an account. It checks every signature by its own means, has a switch for
// each way in which the service or the network may misbehave, keeps a transcript of all
// requests, runs programs and sessions on this machine, and listens on 127.0.0.1 only.
package unsandboxtest
