// Package halfblock draws pictures with characters: each cell shows two pixels, the upper
// one as the foreground and the lower one as the background of "▀".
//
// Colours are written as 24-bit SGR; whoever writes to a terminal that has fewer maps
// them. It knows nothing of outputs, files or themes.
package halfblock
