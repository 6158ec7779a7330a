// Package themes names the colours of nbterm by what they mean and gives the built-in
// values. It is the only place with literal colours.
//
// It knows nothing of what is drawn with them, nor of any terminal library: a Style is
// turned on by plain SGR parameters. Colours are those of the fixed 256-colour palette,
// chosen so that the nearest of the 16 basic colours still means the same.
package themes
