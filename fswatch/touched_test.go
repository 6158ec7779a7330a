package fswatch

import (
	"slices"
	"strconv"
	"testing"
)

func TestTouched(t *testing.T) {
	dirs := map[Path]*touched{}
	touch(dirs, "/a", "x")
	touch(dirs, "/a", "y", "x")
	touch(dirs, "/b", "z")
	touch(dirs, "/b")
	touch(dirs, "/b", "z")
	if got := dirs["/a"].list(); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("%q", got)
	}
	if got := dirs["/b"].list(); got != nil {
		t.Errorf("after anything may have changed: %q", got)
	}
	for i := range mostTouched {
		touch(dirs, "/c", strconv.Itoa(i))
	}
	if got := dirs["/c"].list(); len(got) != mostTouched {
		t.Errorf("%d names", len(got))
	}
	if touch(dirs, "/c", "one more"); dirs["/c"].list() != nil {
		t.Error("there is no bound")
	}
}
