// Package hosts is where all kinds of hosts come together: it reads an address as --host
// takes it and opens the host that lives there. Secrets in an address are taken out of it
// before anybody else sees it.
//
// It knows each kind's own room; nothing below it knows it.
package hosts
