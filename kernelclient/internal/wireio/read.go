package wireio

import "io"

// step is the most that is allocated before any byte of a value has arrived.
const step = 64 << 10

// ReadN reads exactly n bytes. n is only somebody's word: memory grows with what arrives,
// never to more than twice of it and one step. A short read is io.ErrUnexpectedEOF.
func ReadN(r io.Reader, n int) ([]byte, error) {
	buf := make([]byte, min(n, step))
	for got := 0; ; {
		m, err := io.ReadFull(r, buf[got:])
		got += m
		if err == io.EOF && n > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if got == n {
			return buf, nil
		}
		grown := make([]byte, min(n, 2*len(buf)))
		copy(grown, buf)
		buf = grown
	}
}
