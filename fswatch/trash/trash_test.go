//go:build unix && !darwin

package trash

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPutAndRestore(t *testing.T) {
	dir := t.TempDir()
	c, ok := Of(func(name string) string { return map[string]string{"HOME": dir}[name] })
	if !ok || c.Home != filepath.Join(dir, ".local/share/Trash") {
		t.Fatal(c, ok)
	}
	work := filepath.Join(dir, "work")
	name := filepath.Join(work, "a 100%\n.txt")
	var items []Item
	for _, text := range []string{"one", "two"} {
		if err := os.MkdirAll(work, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		item, err := c.Put(name)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	note, err := os.ReadFile(items[0].info)
	if err != nil || !strings.HasPrefix(string(note), "[Trash Info]\nPath="+work+"/a%20100%25%0A.txt\nDeletionDate=2") {
		t.Errorf("%v %s", err, note)
	}
	if err := os.Remove(work); err != nil {
		t.Fatal(err)
	}
	if err := items[1].Restore(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "two" {
		t.Errorf("%v %s", err, data)
	}
	if err := items[0].Restore(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it would replace what is there: %v", err)
	}
	if _, err := c.Put(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := c.Put(filepath.Join(dir, ".local")); err == nil {
		t.Error("the trash went into the trash")
	}
	left, _ := filepath.Glob(filepath.Join(c.Home, "info", "*"))
	if len(left) != 1 {
		t.Errorf("notes: %q", left)
	}
}
