package fswatch

import "fmt"

// Begin is where the part begins in a file of so many bytes, which is Invalid if that is
// behind its end.
func (r Range) Begin(size int64) (int64, error) {
	switch {
	case size <= 0:
		return max(r.Offset, 0), nil
	case r.Offset < 0:
		return max(size+r.Offset, 0), nil
	case r.Offset > 0 && r.Offset >= size:
		return 0, &Error{Kind: Invalid, What: fmt.Sprintf("the part begins at byte %d of a file of %d bytes", r.Offset, size)}
	}
	return r.Offset, nil
}
