package screentest

import (
	"flag"
	"os"
	"path/filepath"
)

// update is the test binary's -update flag: golden files are written, not compared.
var update = flag.Bool("update", false, "write the golden files")

// Golden compares the screen with testdata/NAME.txt and its styles with testdata/NAME.style.
func (s *Screen) Golden(name string) {
	s.t.Helper()
	s.compare(name+".txt", s.Text())
	s.compare(name+".style", s.Styles())
}

func (s *Screen) compare(name, got string) {
	s.t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s differs (-update writes it anew). Got:\n%swant:\n%s", name, got, want)
	}
}
