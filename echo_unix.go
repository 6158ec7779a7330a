//go:build unix

package main

import (
	"github.com/charmbracelet/x/termios"
)

// noEcho stops the terminal from showing what is typed. Signals by key still work.
func noEcho(fd uintptr) error {
	return termios.SetTermios(int(fd), 0, 0, nil, nil, nil, nil, map[termios.L]bool{termios.ECHO: false})
}
