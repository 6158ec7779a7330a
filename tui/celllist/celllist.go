package celllist

// Item is one thing in the list. It is compared by identity. Heights are at least 1.
type Item interface {
	// Estimate guesses Height at next to no cost.
	Estimate(width int) int
	// Height is the exact number of lines at a width.
	Height(width int) int
	// Lines returns the lines from … from+n-1, fewer at the end.
	Lines(width, from, n int) []string
}

// Anchor is a line of the list: it stays the same line when heights elsewhere change.
type Anchor struct{ Item, Line int }

// List is a window on items. One goroutine owns it.
type List struct {
	items         []Item
	sums          fenwick
	width, height int
	top           Anchor // what the first row shows
}

// New returns an empty list of no size.
func New() *List { return &List{} }

// Len is the number of items.
func (l *List) Len() int { return len(l.items) }

// SetSize sets the window. The anchored item stays at the top.
func (l *List) SetSize(width, height int) {
	if width == l.width && height == l.height {
		return
	}
	rewrap := width != l.width
	l.width, l.height = max(width, 0), max(height, 0)
	if rewrap {
		l.rebuild()
		l.top.Line = min(l.top.Line, max(l.measure(l.top.Item)-1, 0))
	}
	l.clamp()
}

// SetItems replaces the items. If the one at the top is still there it stays at the top.
func (l *List) SetItems(items []Item) {
	var anchored Item
	if l.top.Item < len(l.items) {
		anchored = l.items[l.top.Item]
	}
	l.items = items
	l.rebuild()
	found := -1
	for i, it := range items {
		if it == anchored {
			found = i
			break
		}
	}
	if found >= 0 {
		l.top.Item = found
	} else {
		l.top = Anchor{Item: max(min(l.top.Item, len(items)-1), 0)}
	}
	l.clamp()
}

func (l *List) rebuild() {
	heights := make([]int, len(l.items))
	for i, it := range l.items {
		heights[i] = max(it.Estimate(l.width), 1)
	}
	l.sums.build(heights)
}

// Changed tells that an item's content is another now.
func (l *List) Changed(i int) {
	if i < 0 || i >= len(l.items) {
		return
	}
	if first, last := l.Visible(); i >= first && i <= last {
		l.measure(i)
		l.clamp()
		return
	}
	l.sums.set(i, max(l.items[i].Estimate(l.width), 1))
}

// measure asks item i for its exact height; 0 where there is no item.
func (l *List) measure(i int) int {
	if i < 0 || i >= len(l.items) {
		return 0
	}
	h := max(l.items[i].Height(l.width), 1)
	l.sums.set(i, h)
	return h
}

// clamp brings the anchor back onto existing lines, with the last line of the list not
// above the window's bottom unless all of it fits.
func (l *List) clamp() {
	if len(l.items) == 0 {
		l.top = Anchor{}
		return
	}
	l.top.Item = min(max(l.top.Item, 0), len(l.items)-1)
	l.top.Line = min(max(l.top.Line, 0), l.measure(l.top.Item)-1)
	below := -l.top.Line
	for i := l.top.Item; i < len(l.items) && below < l.height; i++ {
		below += l.measure(i)
	}
	if below < l.height {
		l.top = l.move(l.top, below-l.height)
	}
}

// move walks n lines from an anchor, down for n > 0, and stops at the ends.
func (l *List) move(a Anchor, n int) Anchor {
	a.Line += n
	for a.Line < 0 && a.Item > 0 {
		a.Item--
		a.Line += l.measure(a.Item)
	}
	if a.Line < 0 {
		return Anchor{}
	}
	for {
		h := l.measure(a.Item)
		if a.Line < h {
			return a
		}
		if a.Item == len(l.items)-1 {
			a.Line = max(h-1, 0)
			return a
		}
		a.Line -= h
		a.Item++
	}
}

// Scroll moves the window n lines, down for n > 0, and tells whether it moved.
func (l *List) Scroll(n int) bool {
	if len(l.items) == 0 {
		return false
	}
	before := l.top
	l.top = l.move(l.top, n)
	l.clamp()
	return l.top != before
}

// Top shows the first line, Bottom the last.
func (l *List) Top() { l.top = Anchor{} }

// Bottom shows the last line of the list at the window's bottom.
func (l *List) Bottom() {
	l.top = Anchor{Item: len(l.items) - 1}
	l.clamp()
	l.ShowEnd(len(l.items)-1, 0)
}

// Reveal scrolls as little as needed to show item i: all of it if it fits, else its
// beginning. The window stays where it is while it shows nothing but lines of i.
func (l *List) Reveal(i int) {
	if i < 0 || i >= len(l.items) || l.height == 0 {
		return
	}
	h := l.measure(i)
	row, seen := l.row(i)
	switch {
	case h >= l.height && seen && row <= 0 && row+h >= l.height:
	case !seen && i < l.top.Item, seen && row < 0, h >= l.height:
		l.top = Anchor{Item: i}
	case !seen || row+h > l.height:
		l.top = l.move(Anchor{Item: i, Line: h - 1}, 1-l.height)
	}
	l.clamp()
}

// RevealLine scrolls so that a line of item i is in sight: as it is where it shows
// already, else in the middle of the window.
func (l *List) RevealLine(i, line int) {
	if i < 0 || i >= len(l.items) || l.height == 0 {
		return
	}
	line = min(max(line, 0), l.measure(i)-1)
	if _, shown := l.Row(i, line); shown {
		return
	}
	l.top = l.move(Anchor{Item: i, Line: line}, -l.height/2)
	l.clamp()
}

// ShowEnd scrolls so that the last line of item i has `below` rows beneath it, or fewer
// where it shows already or where the list ends.
func (l *List) ShowEnd(i, below int) {
	if i < 0 || i >= len(l.items) || l.height == 0 {
		return
	}
	h := l.measure(i)
	below = min(max(below, 0), l.height-1)
	if row, seen := l.row(i); seen && row+h <= l.height-below && row+h > 0 {
		return
	}
	l.top = l.move(Anchor{Item: i, Line: h - 1}, below+1-l.height)
	l.clamp()
}

// EndShown tells whether the last line of item i is in the window.
func (l *List) EndShown(i int) bool {
	row, seen := l.row(i)
	return seen && row+l.measure(i) <= l.height && row+l.measure(i) > 0
}

// row is the row of item i's first line, negative if that is above the window; seen
// tells whether any line of it is in the window.
func (l *List) row(i int) (row int, seen bool) {
	if i < l.top.Item || i >= len(l.items) {
		return 0, false
	}
	row = -l.top.Line
	for j := l.top.Item; j < i; j++ {
		if row += l.measure(j); row >= l.height {
			return row, false
		}
	}
	return row, row < l.height
}

// Row is the row at which line `line` of item i is shown.
func (l *List) Row(i, line int) (row int, shown bool) {
	first, seen := l.row(i)
	row = first + line
	return row, seen && row >= 0 && row < l.height
}

// At is the line that is shown at a row.
func (l *List) At(row int) (a Anchor, ok bool) {
	if row < 0 || row >= l.height || len(l.items) == 0 {
		return Anchor{}, false
	}
	y := row + l.top.Line
	for i := l.top.Item; i < len(l.items); i++ {
		h := l.measure(i)
		if y < h {
			return Anchor{i, y}, true
		}
		y -= h
	}
	return Anchor{}, false
}

// Visible is the first and the last item with a line in the window; last < first if there is none.
func (l *List) Visible() (first, last int) {
	if len(l.items) == 0 || l.height == 0 {
		return 0, -1
	}
	last = l.top.Item
	for y := l.measure(last) - l.top.Line; y < l.height && last+1 < len(l.items); {
		last++
		y += l.measure(last)
	}
	return l.top.Item, last
}

// Lines returns the lines in the window: at most its height, fewer if the list is shorter.
func (l *List) Lines() []string {
	out := make([]string, 0, l.height)
	from := l.top.Line
	for i := l.top.Item; i < len(l.items) && len(out) < l.height; i++ {
		n := min(l.measure(i)-from, l.height-len(out))
		lines := l.items[i].Lines(l.width, from, n)
		for len(lines) < n { // an item that gives less than its height may not shift the others
			lines = append(lines, "")
		}
		out = append(out, lines[:n]...)
		from = 0
	}
	return out
}

// Anchor is what the first row shows.
func (l *List) Anchor() Anchor { return l.top }

// Position is how many lines are above the window, and how many there are in all. Both
// are estimates until all items were seen.
func (l *List) Position() (above, total int) {
	return l.sums.before(l.top.Item) + l.top.Line, l.sums.before(len(l.items))
}

// ScrollTo moves the window to a line counted from the list's beginning, as estimated.
func (l *List) ScrollTo(y int) {
	if len(l.items) == 0 {
		return
	}
	_, total := l.Position()
	item, line := l.sums.at(min(max(y, 0), max(total-1, 0)))
	l.top = Anchor{item, line}
	l.clamp()
}
