package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which rooms a room may use: the longest matching name counts, and a room
// always may use what lies inside itself. Arrows point down only (docs/architecture.md).
var mayImport = map[string][]string{
	"internal/mounttest":          {},
	"internal/namesort":           {},
	"internal/pause":              {},
	"internal/webguard":           {},
	"kernelclient/bridge/serve":   {"kernelclient", "internal/webguard"},
	"themes":                      {},
	"notebook/mime":               {},
	"kernelclient/event":          {"notebook/mime"},
	"kernelclient":                {"notebook/mime", "kernelclient/event"},
	"kernelclient/hosttest":       {"notebook/mime", "kernelclient"},
	"kernelclient/hosttest/relay": {},
	"kernelclient/e2b":            {"notebook/mime", "kernelclient", "internal/pause"},
	"kernelclient/e2b/e2btest":    {"kernelclient/e2b/wire"},
	"kernelclient/e2b/wire":       {"notebook/mime"},
	"kernelclient/unsandbox":      {"notebook/mime", "kernelclient", "internal/pause"},
	"kernelclient/health":         {},
	"kernelclient/isolate":        {},
	"kernelclient/debuglog":       {"notebook/mime", "kernelclient"},
	"kernelclient/bridge":         {"notebook/mime", "kernelclient", "internal/webguard"},
	"kernelclient/hosts":          {"notebook/mime", "kernelclient"},
	"kernelclient/jupyter":        {"notebook/mime", "kernelclient"},
	"kernelclient/builtin":        {"notebook/mime", "kernelclient"},
	"kernelclient/jupyterserver":  {"notebook/mime", "kernelclient", "internal/pause"},
	"kernelclient/leftover":       {},
	"kernelclient/sshlink":        {"kernelclient"},
	"kernelclient/local":          {"notebook/mime", "kernelclient"},
	"notebook":                    {"notebook/mime", "notebook/ipynb"},
	"notebook/ipynb":              {"notebook/mime"},
	"notebook/diskfile":           {},
	"notebook/output":             {"notebook/mime", "kernelclient/event"},
	"notebook/session":            {"notebook", "kernelclient"},
	"render":                      {"notebook/mime", "themes"},
	"fswatch":                     {},
	"fswatch/contents":            {"fswatch"},
	"fswatch/localfs":             {"fswatch", "internal/namesort"},
	"fswatch/envd":                {"fswatch", "internal/webguard", "internal/pause"},
	"fswatch/envd/envdpb":         {},
	"tui":                         {"kernelclient", "notebook", "render", "themes", "fswatch", "internal/pause"},
	"tui/celllist":                {},
	"tui/editor":                  {"render", "themes"},
	"tui/formatter":               {},
	"tui/find":                    {"notebook", "render/ansi"},
	"tui/lineedit":                {},
	"tui/keymap":                  {},
	"tui/tree":                    {"render", "themes", "internal/namesort"},
	"tui/treelist":                {"fswatch", "tui/tree"},
	"tui/fileops":                 {"fswatch"},
	"tui/preview":                 {"fswatch", "notebook/mime", "render", "themes"},
	"tui/internal/screentest":     {},
	".":                           {"kernelclient", "notebook", "render", "themes", "fswatch", "tui", "internal/pause"},

	"kernelclient/bridge/jupyterface": {"notebook/mime", "kernelclient", "fswatch", "internal/webguard"},
}

const module = "github.com/nbterm/nbterm/"

func TestArrowsPointDown(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		room, allowed := roomOf(filepath.ToSlash(filepath.Dir(path)))
		seen[room] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if why := refuse(room, allowed, name); why != "" {
				t.Errorf("%s imports %s: %s", path, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 10 {
		t.Errorf("only %d rooms were looked at", len(seen))
	}
}

func roomOf(dir string) (string, []string) {
	for room := dir; ; room = filepath.ToSlash(filepath.Dir(room)) {
		if allowed, ok := mayImport[room]; ok && (room != "." || dir == ".") {
			return room, allowed
		}
		if room == "." || room == "/" {
			return dir, nil // a room that is not in the table may import nothing of ours
		}
	}
}

func refuse(room string, allowed []string, name string) string {
	if strings.HasPrefix(name, "charm.land/bubbletea/") || strings.HasPrefix(name, "charm.land/bubbles/") {
		if room != "tui" && room != "." && room != "tui/internal/screentest" {
			return "only tui and main use Bubble Tea"
		}
	}
	inner, ours := strings.CutPrefix(name, module)
	if !ours || inside(inner, room) {
		return ""
	}
	for _, a := range allowed {
		if inside(inner, a) {
			return ""
		}
	}
	return "the arrow points up or sideways"
}

func inside(name, room string) bool { return name == room || strings.HasPrefix(name, room+"/") }
