package main

import (
	"testing"

	"github.com/nbterm/nbterm/fswatch"
)

// A link that leads nowhere has its own path as its target: it must not look like one to itself.
func TestRemarkOfALink(t *testing.T) {
	for _, c := range []struct {
		entry fswatch.Entry
		want  string
	}{
		{fswatch.Entry{Path: "/a"}, ""},
		{fswatch.Entry{Path: "/a", Link: true, Target: "/b"}, " -> /b"},
		{fswatch.Entry{Path: "/a", Link: true, Target: "/a", Problem: fswatch.NotFound}, " (link, not found)"},
		{fswatch.Entry{Path: "/a", Problem: fswatch.Permission}, " (" + string(fswatch.Permission) + ")"},
	} {
		if got := remark(c.entry, func(s string) string { return s }); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
