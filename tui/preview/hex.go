package preview

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// dump shows bytes, sixteen a line, or eight where there is less room.
type dump struct{ parts }

func hex(p parts, what string) Preview { return Preview{What: what, dump: &dump{p}} }

func perLine(width int) int {
	if width < 77 {
		return 8
	}
	return 16
}

func rowsOf(b []byte, n int) int { return (len(b) + n - 1) / n }

// Height is render.Block's.
func (d *dump) Height(width int) int {
	n := perLine(width)
	rows := rowsOf(d.head, n) + rowsOf(d.tail, n)
	if len(d.tail) > 0 {
		rows++ // between them
	}
	return max(rows, 1)
}

// Lines is render.Block's.
func (d *dump) Lines(width, from, n int) []string {
	var out []string
	for i := from; i < min(from+n, d.Height(width)); i++ {
		out = append(out, ansi.Truncate(d.line(i, perLine(width)), width, ""))
	}
	return out
}

func (d *dump) line(i, n int) string {
	b, at := d.head, int64(0)
	if head := rowsOf(d.head, n); i == head {
		return fmt.Sprintf("… %d bytes are not shown …", d.tailAt-int64(len(d.head)))
	} else if i > head {
		b, at, i = d.tail, d.tailAt, i-head-1
	}
	row := b[i*n : min((i+1)*n, len(b))]
	var hexes, text strings.Builder
	for j := range n {
		if j == n/2 {
			hexes.WriteByte(' ')
		}
		if j >= len(row) {
			hexes.WriteString("   ")
			continue
		}
		fmt.Fprintf(&hexes, "%02x ", row[j])
		if c := row[j]; c >= ' ' && c < 0x7f {
			text.WriteByte(c)
		} else {
			text.WriteByte('.')
		}
	}
	return fmt.Sprintf("%08x  %s |%s|", at+int64(i*n), hexes.String(), text.String())
}
