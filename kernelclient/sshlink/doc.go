// Package sshlink carries connections to the host process of another machine through the
// user's own ssh: its settings, agent, jump hosts and shared connections are theirs.
//
// A Link is one ssh process whose standard input and output carry many connections (yamux).
// So neither end opens a port or needs leave to forward one, one login is enough, and a
// connection that went silent is noticed. At the other end `nbterm link` gives each
// connection to the host process there.
//
// The package knows neither documents nor what is said on a connection.
package sshlink
