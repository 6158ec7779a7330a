// Package hosttest is for tests. Run is the conformance suite that every
// kernelclient.Host passes, whatever runs its code; Fake is a Driver in memory for tests
// of what sits above a context and for faults that no real kernel can be made to show.
package hosttest
