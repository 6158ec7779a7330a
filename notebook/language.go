package notebook

import "strings"

// Language is the language that a code cell names as its own, in lower case, "" for none:
// then it is in the notebook's. Notebooks of many languages say it in the cell's metadata,
// as VS Code does ("vscode": {"languageId": …}), or Polyglot Notebooks, or simply
// "language". A host of many languages runs the cell in it; a kernel of one does not care.
func (c *Cell) Language() string {
	if c.Type != Code || c.metadata == nil {
		return ""
	}
	for _, where := range [][]string{
		{"language"}, {"vscode", "languageId"}, {"polyglot_notebook", "kernelName"}, {"dotnet_interactive", "language"},
	} {
		v := c.metadata
		for _, key := range where {
			v = v.Get(key)
		}
		if name := strings.ToLower(strings.TrimSpace(v.Str())); name != "" {
			if name == "shellscript" { // VS Code's word
				return "bash"
			}
			return name
		}
	}
	return ""
}
