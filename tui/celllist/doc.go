// Package celllist is the scrolling list of a notebook: which lines of which items are
// on the screen.
//
// It keeps estimated heights of all items in a Fenwick tree, and its position as an
// anchor (item, line of the item): an item above the screen may turn out higher than
// was guessed, and what the user reads still stays where it is. Only items on the screen
// are asked for lines. The package knows neither cells nor terminals nor Bubble Tea.
package celllist
