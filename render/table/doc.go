// Package table reads HTML as text: its tables, such as those of pandas, as grids with
// their own layout, and what stands around them as lines.
//
// It takes structure and text only: styles, scripts and pictures are left out, and no
// control character comes through. It knows nothing of outputs.
package table
