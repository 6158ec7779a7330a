package keymap

import "strings"

// Show writes a sequence as people read it: "Shift-Enter", "gg", "Alt-↑".
func Show(seq string) string {
	var b strings.Builder
	for key := range strings.SplitSeq(seq, " ") {
		b.WriteString(showKey(key))
	}
	return b.String()
}

func showKey(key string) string {
	parts := strings.Split(key, "+")
	last := len(parts) - 1
	for i, p := range parts {
		parts[i] = keyName(p, last > 0)
	}
	return strings.Join(parts, "-")
}

// keyName is the name of one part of a key. A letter after a modifier is written large.
func keyName(part string, modified bool) string {
	switch part {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	case "delete":
		return "Del"
	}
	if len(part) > 1 || modified {
		return strings.ToUpper(part[:1]) + part[1:]
	}
	return part
}

// ShowAll writes the sequences of a binding, separated by spaces.
func (b Binding) ShowAll() string {
	names := make([]string, len(b.Keys))
	for i, seq := range b.Keys {
		names[i] = Show(seq)
	}
	return strings.Join(names, " ")
}

// Keys returns how the first sequence of an action is written, "" if it has none.
func (t *Table) Keys(mode Mode, a Action) string {
	for _, b := range t.bindings {
		if b.Action == a && b.Mode == mode && len(b.Keys) > 0 {
			return Show(b.Keys[0])
		}
	}
	return ""
}
