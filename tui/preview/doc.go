// Package preview shows what is in a file without opening it as a notebook: text, pictures,
// tables, JSON, the contents of archives, and the bytes of all else. It reads a megabyte at
// most, and never opens what makes a reader wait: pipes, sockets, devices.
//
// It must not know the screen that the preview is drawn on.
package preview
