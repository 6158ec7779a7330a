package keymap

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md")

func TestTheDocumentIsTheTable(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "keys.md")
	want := Default().Markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("docs/keys.md is not made from the table as it is (%v): run make golden", err)
	}
}
