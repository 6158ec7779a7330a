// Package keymap is the one table of keys: sequence, action and help text, per mode.
//
// The program looks up actions here and nowhere else, and help is made from the same
// table, so that a key without help and help without a key cannot exist. The package
// knows names of keys as the terminal library spells them ("shift+enter"), but neither
// that library nor what an action does.
package keymap
