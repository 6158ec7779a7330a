//go:build !linux

package health

// Shortages is how many processes the system has killed so far for lack of memory; this one
// does not tell.
func Shortages() int64 { return 0 }

func usage(int) (Usage, map[int]bool, error) { return Usage{}, nil, ErrUnsupported }
