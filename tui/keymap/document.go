package keymap

import (
	"slices"
	"strings"
)

// Markdown writes the table as a page for people: a table for each heading, in the order
// of the help page.
func (t *Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the table in `tui/keymap` (`make golden`); F1 shows the same in the program.\n" +
		"Palette and command line (`Ctrl-P`, `:`) find each action by what is written here.\n")
	for _, g := range t.Groups() {
		b.WriteString("\n## " + g + "\n\n| keys | action |\n| --- | --- |\n")
		for _, row := range t.bindings {
			if row.Group == g {
				b.WriteString("| " + row.cells() + " | " + strings.ReplaceAll(row.Help, "|", `\|`) + " |\n")
			}
		}
	}
	return b.String()
}

// cells writes the keys of a binding as code, apart from each other.
func (b Binding) cells() string {
	keys := make([]string, len(b.Keys))
	for i, seq := range b.Keys {
		fence := "`"
		name := Show(seq)
		if strings.Contains(name, "`") {
			fence, name = "``", " "+name+" "
		}
		keys[i] = fence + strings.ReplaceAll(name, "|", `\|`) + fence
	}
	return strings.Join(keys, " ")
}

// Groups are the headings of the table, in order.
func (t *Table) Groups() []string {
	var groups []string
	for _, b := range t.bindings {
		if !slices.Contains(groups, b.Group) {
			groups = append(groups, b.Group)
		}
	}
	return groups
}
