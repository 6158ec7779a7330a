package halfblock

import "strconv"

// Rows is the number of lines.
func (p *Picture) Rows() int { return (len(p.pixels)/p.cols + 1) / 2 }

// Line draws line i. It starts from and ends in the reset state.
func (p *Picture) Line(i int) string {
	upper := p.row(2 * i)
	lower := p.row(2*i + 1)
	end := p.cols
	for end > 0 && upper(end-1).clear && lower(end-1).clear {
		end--
	}
	var out []byte
	var now pen
	for x := range end {
		mark, next := half(upper(x), lower(x))
		out = append(now.change(out, next), mark...)
		now = next
	}
	if now != (pen{}) {
		out = append(out, "\x1b[m"...)
	}
	return string(out)
}

// row returns a row's pixels by column; below the last row all is clear.
func (p *Picture) row(y int) func(x int) pixel {
	if (y+1)*p.cols > len(p.pixels) {
		return func(int) pixel { return pixel{clear: true} }
	}
	return func(x int) pixel { return p.pixels[y*p.cols+x] }
}

// pen is what a cell is drawn in.
type pen struct {
	fg, bg       pixel
	hasFG, hasBG bool
}

// half is the character and colours for two pixels.
func half(upper, lower pixel) (string, pen) {
	switch {
	case upper.clear && lower.clear:
		return " ", pen{}
	case upper == lower:
		return " ", pen{bg: lower, hasBG: true}
	case lower.clear:
		return "▀", pen{fg: upper, hasFG: true}
	case upper.clear:
		return "▄", pen{fg: lower, hasFG: true}
	}
	return "▀", pen{fg: upper, hasFG: true, bg: lower, hasBG: true}
}

// change appends what makes one pen the other.
func (p pen) change(out []byte, to pen) []byte {
	if p == to {
		return out
	}
	if p.hasFG && !to.hasFG || p.hasBG && !to.hasBG {
		out, p = append(out, "\x1b[m"...), pen{}
	}
	sep := "\x1b["
	if to.hasFG && (!p.hasFG || p.fg != to.fg) {
		out = to.fg.append(append(out, sep...), 38)
		sep = ";"
	}
	if to.hasBG && (!p.hasBG || p.bg != to.bg) {
		out = to.bg.append(append(out, sep...), 48)
		sep = ";"
	}
	if sep == ";" {
		out = append(out, 'm')
	}
	return out
}

func (c pixel) append(out []byte, param int64) []byte {
	out = strconv.AppendInt(out, param, 10)
	out = append(out, ";2"...)
	for _, v := range [...]uint8{c.r, c.g, c.b} {
		out = strconv.AppendInt(append(out, ';'), int64(v), 10)
	}
	return out
}
