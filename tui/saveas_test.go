package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveAs(t *testing.T) {
	a := open(t, setup{file: file("one"), watch: true})
	dir := filepath.Dir(a.path)
	other := filepath.Join(dir, "other.ipynb")
	if err := os.WriteFile(other, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Type("b", "S", "esc")
	a.hides("save as: ")
	before := a.saved()
	a.Type("S", "enter") // its own name: a plain save
	a.hides("exists", "●")
	if a.saved() == before {
		t.Error("it was not saved under its own name")
	}
	if err := os.WriteFile(a.path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	a.WaitFor("reloaded")
	a.Type("b", "S", "ctrl+u", dir, "enter")
	a.shows("is a folder")
	a.Type("ctrl+u", other, "enter")
	a.shows("other.ipynb exists", "o write over it")
	a.Type("esc")
	if data, _ := os.ReadFile(other); string(data) != "precious" {
		t.Error("it was written over unasked")
	}
	a.shows("save as: ", "other.ipynb")
	a.Type("enter", "o")
	a.shows("saved other.ipynb")
	a.hides("●")
	if data, _ := os.ReadFile(other); !strings.Contains(string(data), "one") || strings.Count(a.saved(), "cell_type") != 1 {
		t.Errorf("%s", data)
	}
	// From now on the new file is the one that is watched and saved.
	if err := os.WriteFile(other, []byte(file("changed")), 0o600); err != nil {
		t.Fatal(err)
	}
	a.WaitFor("changed")
	a.quits(t, 0, "q")
}

// The present name is selected: typing replaces it, moving the cursor edits it.
func TestSaveAsLine(t *testing.T) {
	a := open(t, setup{file: file("one"), width: 120, height: 24})
	dir := filepath.Dir(a.path)
	a.Type("S")
	a.shows("save as: "+a.path, "typing replaces the name")
	styles := strings.Split(strings.TrimSpace(a.Styles()), "\n")
	if line := styles[len(styles)-2]; !strings.Contains(line, "rrrr") {
		t.Errorf("the name is not shown as selected: %s", line)
	}
	a.Type(dir+"/no/such", "enter")
	a.shows("save as: "+dir+"/no/such", "the folder "+dir+"/no does not exist")
	a.Type("esc", "S", "backspace")
	a.hides("test.ipynb does", a.path)
	a.Type("esc", "S", "end", "backspace", "s")
	a.shows("save as: " + strings.TrimSuffix(a.path, "b") + "s")
	a.hides("typing replaces")
	a.Type("esc", "S", "\x1b[200~"+dir+"/pasted\x1b[201~", "enter")
	a.shows("saved pasted.ipynb")
}

// What was said about a save that failed goes once the notebook is saved.
func TestSaveThatWorksTakesBackWhatWasSaid(t *testing.T) {
	a := open(t, setup{file: file("one"), width: 120, height: 24})
	a.Type("b")
	if err := os.Remove(a.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(a.path, 0o700); err != nil {
		t.Fatal(err)
	}
	a.Type("s")
	a.shows("not saved")
	a.Type("S", filepath.Join(filepath.Dir(a.path), "other"), "enter")
	a.shows("saved other.ipynb")
	a.Type("k", "k")
	a.hides("not saved", "Esc")
}

func TestSaveAsCompletesPaths(t *testing.T) {
	a := open(t, setup{file: file("one"), width: 120, height: 24})
	dir := filepath.Dir(a.path)
	for _, name := range []string{"plots", ".hidden"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"plan b.ipynb", "data.csv", "äa.ipynb", "äb.ipynb"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.Type("S", dir+"/p", "tab")
	a.shows("save as: "+dir+"/pl", "plan b.ipynb  plots/")
	a.Type("o", "tab")
	a.shows("save as: " + dir + "/plots/")
	a.hides("plan b")
	a.Type("new", "tab")
	a.shows("no folder and no notebook begins with that")
	a.Type("enter")
	a.shows("saved new.ipynb")
	if _, err := os.Stat(filepath.Join(dir, "plots", "new.ipynb")); err != nil {
		t.Error(err)
	}
	a.Type("S", "~/x", "esc", "S", dir+"/ä", "tab")
	a.shows("save as: "+dir+"/ä", "äa.ipynb  äb.ipynb")
	a.Type("ctrl+u", dir+"/", "tab")
	a.shows("plots/")
	a.hides(".hidden", "data.csv")
}
