//go:build !linux

package local

// ownersOf: which process listens where is not to be had here without other programs.
func ownersOf(all []candidate) []owner { return make([]owner, len(all)) }
