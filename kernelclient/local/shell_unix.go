//go:build unix

package local

// shellOf is the shell of the built-in shell kernel: the first bash on PATH, else the
// first sh; "" if there is none.
func shellOf(e environ) string {
	for _, name := range []string{"bash", "sh"} {
		if p, err := lookPath(name, e); err == nil {
			return p
		}
	}
	return ""
}
