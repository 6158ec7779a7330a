package celllist

// ShowLine scrolls as little as needed to bring a line of item i into the window.
func (l *List) ShowLine(i, line int) {
	if i < 0 || i >= len(l.items) || l.height == 0 {
		return
	}
	line = min(max(line, 0), l.measure(i)-1)
	first, seen := l.row(i)
	switch row := first + line; {
	case seen && row >= 0 && row < l.height:
		return
	case i < l.top.Item, seen && row < 0:
		l.top = Anchor{Item: i, Line: line}
	default:
		l.top = l.move(Anchor{Item: i, Line: line}, 1-l.height)
	}
	l.clamp()
}
