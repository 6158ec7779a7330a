package editor

import "slices"

// sums knows the sums of the first i of a row of sizes. What an edit makes wrong is cut
// off and added up again when asked for, so that work at one place costs nothing.
type sums struct{ at []int }

// cut says that the sizes from the i-th on may have changed.
func (s *sums) cut(i int) {
	if len(s.at) > i+1 {
		s.at = s.at[:i+1]
	}
}

// before returns the sum of the first i sizes.
func (s *sums) before(i int, size func(int) int) int {
	s.grow(i, size)
	return s.at[i]
}

func (s *sums) grow(i int, size func(int) int) {
	if len(s.at) == 0 {
		s.at = append(s.at, 0)
	}
	for n := len(s.at); n <= i; n++ {
		s.at = append(s.at, s.at[n-1]+size(n-1))
	}
}

// find returns which of n sizes, none of them 0, holds the place y, and how far into it
// y is; the last one if there are not so many.
func (s *sums) find(y, n int, size func(int) int) (i, rest int) {
	for s.grow(0, size); len(s.at) <= n && s.at[len(s.at)-1] <= y; {
		s.grow(len(s.at), size)
	}
	i, found := slices.BinarySearch(s.at, y)
	if !found {
		i--
	}
	i = min(i, n-1)
	return i, y - s.at[i]
}
