// Package wireio holds what the transports of kernel messages share: a queue whose
// writer never waits, an outbox whose senders wait no longer than they want to, and
// reading of announced lengths without believing them.
//
// It knows bytes; what they mean is the transports' affair.
package wireio
