package tui

import "github.com/charmbracelet/x/ansi"

// barParts is what the status bar has to say.
type barParts struct {
	file, kernel, state string
	use                 string   // what the kernel takes of the machine, "" where that is unknown
	right               []string // where the user is, the shortest form last
	hints               []string // keys, the shortest form last
}

const (
	leastFile   = 6 // columns of a file's name, with the mark of unsaved changes
	leastKernel = 8 // columns of a kernel's name, with what parts it from the state
)

// fit shares out the columns. What matters more comes first: the file, what the kernel
// does, where the user is, a key or two, which kernel it is.
func (p barParts) fit(width int) (left, keys, right string) {
	room := max(width-2, 0) // a blank column at the left, and one before what stands at the right
	file := min(ansi.StringWidth(p.file), max(width/4, leastFile), room)
	room -= file
	state := ""
	if p.state != "" && room >= leastFile { // else it says nothing
		state = ansi.Truncate(p.state, room-2, "…")
		room -= 2 + ansi.StringWidth(state)
	}
	for _, r := range p.right {
		if w := ansi.StringWidth(r); w <= room {
			right, room = r, room-w
			break
		}
	}
	more := min(ansi.StringWidth(p.file)-file, room)
	file, room = file+more, room-more
	kernel, full := "", ansi.StringWidth(p.kernel)+3
	for i, h := range p.hints {
		w := ansi.StringWidth(h) + 2
		if w > room || i == 0 && len(p.hints) > 1 && w+min(full, leastKernel) > room {
			continue // the longest only beside some of the kernel's name
		}
		keys, room = h, room-w
		break
	}
	if w := ansi.StringWidth(p.use) + 3; p.use != "" && state != "" && room-w >= min(full, leastKernel) {
		state, room = state+" · "+p.use, room-w
	}
	if state != "" && room >= min(full, leastKernel) {
		kernel = ansi.Truncate(p.kernel, room-3, "…") + " · "
	}
	left = ansi.Truncate(" "+ansi.Truncate(p.file, file, "…"), width, "")
	if state != "" {
		left += "  " + kernel + state
	}
	return left, keys, right
}
