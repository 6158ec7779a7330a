package celllist

// fenwick holds heights such that prefix sums and changes cost O(log n).
type fenwick struct {
	tree    []int // 1-based partial sums
	heights []int
}

func (f *fenwick) build(heights []int) {
	f.heights = heights
	f.tree = make([]int, len(heights)+1)
	for i, h := range heights {
		f.tree[i+1] += h
		if up := i + 1 + (i+1)&-(i+1); up < len(f.tree) {
			f.tree[up] += f.tree[i+1]
		}
	}
}

func (f *fenwick) set(i, height int) {
	delta := height - f.heights[i]
	if delta == 0 {
		return
	}
	f.heights[i] = height
	for j := i + 1; j < len(f.tree); j += j & -j {
		f.tree[j] += delta
	}
}

// before is the sum of the heights of the items before i.
func (f *fenwick) before(i int) int {
	sum := 0
	for j := i; j > 0; j -= j & -j {
		sum += f.tree[j]
	}
	return sum
}

// at is the item that holds line y of all lines, and the line within it.
func (f *fenwick) at(y int) (item, line int) {
	step := 1
	for step*2 < len(f.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := item + step; next < len(f.tree) && f.tree[next] <= y {
			item, y = next, y-f.tree[next]
		}
	}
	return item, y
}
