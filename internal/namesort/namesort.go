package namesort

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// Order is how names compare.
type Order bool

// The orders.
const (
	ByBytes Order = false
	Folded  Order = true // without regard to case, and by bytes where that makes no difference
)

const (
	few    = 24  // names from this many down are compared in pairs
	sparse = 512 // keys from this many down are: a pass over them costs as much as over 256
	width  = 8   // bytes of a name in a key
	digits = 1 << 8
)

// item is a name by its place, and the bytes of it that are sorted by now.
type item struct {
	key uint64
	at  int32
}

type sorter struct {
	names []string // as they compare, but for the case of ASCII letters
	given []string
	order Order
	spare []item
}

// Sorted are the places of names in their order: names[Sorted(names, o)[0]] is the first.
// Equal names stay as they stand.
func Sorted(names []string, o Order) []int32 {
	s := sorter{names: names, given: names, order: o, spare: make([]item, len(names))}
	if o == Folded {
		s.names = unfolded(names)
	}
	items := make([]item, len(names))
	for i := range items {
		items[i].at = int32(i)
	}
	s.sort(items, 0)
	places := make([]int32, len(items))
	for i := range items {
		places[i] = items[i].at
	}
	return places
}

// unfolded writes the names small that are not plain ASCII; those that are stay.
func unfolded(names []string) []string {
	own := names
	for i, name := range names {
		if isASCII(name) {
			continue
		}
		if &own[0] == &names[0] {
			own = slices.Clone(names)
		}
		own[i] = strings.ToLower(name)
	}
	return own
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sort sorts items whose names are alike in their first from bytes: by the eight bytes that
// follow what all of them have in common, and those that are alike in these once more.
func (s *sorter) sort(items []item, from int) {
	if len(items) <= few {
		slices.SortFunc(items, s.compare)
		return
	}
	from, longest := s.common(items, from)
	if from >= longest { // they are the same: only their given case differs
		slices.SortFunc(items, s.compare)
		return
	}
	for i := range items {
		items[i].key = s.key(items[i].at, from)
	}
	s.byKey(items)
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && items[end].key == items[start].key {
			end++
		}
		if end-start > 1 {
			s.sort(items[start:end], from+width)
		}
		start = end
	}
}

// common is up to where all names are alike, which is from at least, and how long the
// longest is.
func (s *sorter) common(items []item, from int) (alike, longest int) {
	first := s.names[items[0].at]
	alike = len(first)
	for _, it := range items {
		name := s.names[it.at]
		longest = max(longest, len(name))
		alike = min(alike, len(name))
		for i := from; i < alike; i++ {
			if s.fold(name[i]) != s.fold(first[i]) {
				alike = i
			}
		}
	}
	return max(alike, from), longest
}

func (s *sorter) fold(c byte) byte {
	if s.order == Folded && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// key is eight bytes of a name as a number of the same order; behind its end are zeroes.
func (s *sorter) key(at int32, from int) uint64 {
	var b [width]byte
	if name := s.names[at]; from < len(name) {
		copy(b[:], name[from:])
	}
	if s.order == Folded {
		for i, c := range b {
			b[i] = s.fold(c)
		}
	}
	return binary.BigEndian.Uint64(b[:])
}

// byKey sorts items by their keys, a byte at a time, the last first; bytes that all have in
// common cost nothing.
func (s *sorter) byKey(items []item) {
	if len(items) <= sparse {
		slices.SortFunc(items, func(a, b item) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
		return
	}
	var differ uint64
	for _, it := range items {
		differ |= it.key ^ items[0].key
	}
	from, to := items, s.spare[:len(items)]
	for shift := 0; shift < 8*width; shift += 8 {
		if differ>>shift&(digits-1) == 0 {
			continue
		}
		var starts [digits]int32
		for i := range from {
			starts[from[i].key>>shift&(digits-1)]++
		}
		var sum int32
		for d, n := range starts {
			starts[d] = sum
			sum += n
		}
		for i := range from {
			d := from[i].key >> shift & (digits - 1)
			to[starts[d]] = from[i]
			starts[d]++
		}
		from, to = to, from
	}
	if &from[0] != &items[0] {
		copy(items, from)
	}
}

// compare compares two names in pairs.
func (s *sorter) compare(a, b item) int {
	c := 0
	if s.order == Folded {
		c = compareFolded(s.names[a.at], s.names[b.at])
	}
	return cmp.Or(c, strings.Compare(s.given[a.at], s.given[b.at]), cmp.Compare(a.at, b.at))
}

// compareFolded compares without regard to the case of ASCII letters.
func compareFolded(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := lower(a[i]), lower(b[i]); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Compare compares two names as Sorted does.
func Compare(a, b string, o Order) int {
	if o == ByBytes {
		return strings.Compare(a, b)
	}
	x, y := a, b
	if !isASCII(a) {
		x = strings.ToLower(a)
	}
	if !isASCII(b) {
		y = strings.ToLower(b)
	}
	return cmp.Or(compareFolded(x, y), strings.Compare(a, b))
}
