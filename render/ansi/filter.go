package ansi

import "io"

// Filter passes text on to a terminal and lets only SGR, \r, \b, tab and newline of its
// controls through. Sequences may be cut anywhere between writes. It is not safe for
// concurrent use.
type Filter struct {
	w      io.Writer
	parser parser
	out    []byte
}

// NewFilter returns a Filter that writes to w.
func NewFilter(w io.Writer) *Filter { return &Filter{w: w} }

// Write implements io.Writer. Its error is w's; then it has taken nothing.
func (f *Filter) Write(p []byte) (int, error) {
	f.out = f.out[:0]
	f.parser.parse(p, (*passer)(f))
	if len(f.out) == 0 {
		return len(p), nil
	}
	if _, err := f.w.Write(f.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// passer is a Filter as its parser sees it.
type passer Filter

func (f *passer) text(p []byte, _ bool) { f.out = append(f.out, p...) }

func (f *passer) control(c byte) { f.out = append(f.out, c) }

func (f *passer) csi(params []byte, final byte) {
	if final != 'm' {
		return
	}
	f.out = append(append(append(f.out, "\x1b["...), params...), 'm')
}
