package screentest

import (
	"fmt"
	"strings"
)

// names are keys whose bytes are not the text itself. Modified Enters are what a terminal
// with the Kitty keyboard protocol or modifyOtherKeys sends.
func names() map[string]string {
	return map[string]string{
		"enter": "\r", "tab": "\t", "esc": "\x1b", "space": " ", "backspace": "\x7f",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~", "delete": "\x1b[3~",
		"f1": "\x1bOP", "f2": "\x1bOQ",
		"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B",
		"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B",
		"shift+enter": "\x1b[13;2u", "ctrl+enter": "\x1b[13;5u", "alt+enter": "\x1b\r",
		"shift+space": "\x1b[32;2u", "shift+tab": "\x1b[Z",
		"shift+left": "\x1b[1;2D", "shift+right": "\x1b[1;2C", "shift+home": "\x1b[1;2H", "shift+end": "\x1b[1;2F",
		"ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C", "ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F",
		"alt+left": "\x1b[1;3D", "alt+right": "\x1b[1;3C", "alt+shift+down": "\x1b[1;4B",
		"ctrl+shift+left": "\x1b[1;6D", "ctrl+shift+right": "\x1b[1;6C", "ctrl+delete": "\x1b[3;5~",
	}
}

// encode returns the bytes of a key name, or of a text that is no key name.
func encode(key string) string {
	if seq, ok := names()[key]; ok {
		return seq
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 {
		return string(letter[0] & 0x1f)
	}
	if rest, ok := strings.CutPrefix(key, "alt+"); ok && len(rest) == 1 {
		return "\x1b" + rest
	}
	return key
}

// Wheel is the report of n wheel notches at a cell, down for n > 0.
func Wheel(x, y, n int) string {
	button := 65
	if n < 0 {
		button, n = 64, -n
	}
	return strings.Repeat(fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1), n)
}

// Click is the report of a left click at a cell.
func Click(x, y int) string {
	return fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1)
}

// Paste is a bracketed paste.
func Paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// Press is the report of a left button that is pressed.
func Press(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1) }

// Motion is the report of a mouse that moves while the left button is held.
func Motion(x, y int) string { return fmt.Sprintf("\x1b[<32;%d;%dM", x+1, y+1) }

// Release is the report of a left button that is let go.
func Release(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dm", x+1, y+1) }

// Drag is the report of a left button pressed at one cell and let go at another.
func Drag(x, y, toX, toY int) string {
	return Press(x, y) + Motion(toX, toY) + Release(toX, toY)
}
