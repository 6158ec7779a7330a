package main

import (
	"os"
	"testing"
)

// A new notebook never takes the name of what is there, be it a link that leads nowhere.
func TestUntitled(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := untitled(""); got != "Untitled.ipynb" {
		t.Error(got)
	}
	if err := os.WriteFile("Untitled.ipynb", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", "Untitled1.ipynb"); err != nil {
		t.Skip(err)
	}
	if got := untitled(""); got != "Untitled2.ipynb" {
		t.Error(got)
	}
}
