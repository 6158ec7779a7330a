//go:build !linux

package health

func usage(int) (Usage, map[int]bool, error) { return Usage{}, nil, ErrUnsupported }
