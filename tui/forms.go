package tui

import (
	"fmt"

	"github.com/nbterm/nbterm/notebook/mime"
)

// nextForm switches the cell's outputs to their next MIME form and names it, "" if there
// is but one.
func (v *cellView) nextForm() string {
	v.decode()
	most := 0
	var bundle mime.Bundle
	for _, o := range v.shown() {
		b := v.bodies[identity(o)]
		if h, ok := b.(*mime.Held); ok {
			b = h.Bare()
		}
		if d, ok := b.(*mime.Data); ok && len(d.Bundle) > most {
			most, bundle = len(d.Bundle), d.Bundle
		}
	}
	if most < 2 {
		return ""
	}
	v.form = (v.form + 1) % (most + 1)
	v.outputs, v.decoded = nil, false
	v.touch()
	if v.form == 0 {
		return "what reads best"
	}
	return fmt.Sprintf("%s (%d of %d)", bundle[v.form-1].Type, v.form, most)
}

// inForm leaves of each output only its n-th form; 0 leaves all.
func inForm(outs []mime.Output, n int) []mime.Output {
	if n == 0 {
		return outs
	}
	cut := make([]mime.Output, len(outs))
	for i, o := range outs {
		cut[i] = o
		if d, ok := o.Decode().(*mime.Data); ok && len(d.Bundle) > 1 {
			one := *d
			one.Bundle = d.Bundle[(n-1)%len(d.Bundle):][:1]
			cut[i] = mime.Output{Body: &one}
		}
	}
	return cut
}
