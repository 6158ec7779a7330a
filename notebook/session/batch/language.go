package batch

import (
	"bytes"
	"path/filepath"
	"strings"
)

// LanguageOf tells the language of a file of code by its extension, else by its first
// line ("#!"); "" if neither says anything.
func LanguageOf(path string, text []byte) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py":
		return "python"
	case ".r":
		return "R"
	case ".jl":
		return "julia"
	case ".sh":
		return "bash"
	case ".js":
		return "javascript"
	case ".ts":
		return "typescript"
	case ".rb":
		return "ruby"
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	for _, known := range [][2]string{{"python", "python"}, {"Rscript", "R"}, {"julia", "julia"}, {"bash", "bash"}, {"node", "javascript"}, {"ruby", "ruby"}, {"/sh", "bash"}} {
		if bytes.Contains(line, []byte(known[0])) {
			return known[1]
		}
	}
	return ""
}
