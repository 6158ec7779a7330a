package batch_test

import (
	"testing"

	"github.com/nbterm/nbterm/notebook/session/batch"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.py", "", "python"},
		{"a.R", "", "R"},
		{"a", "#!/usr/bin/env python3\nprint(1)", "python"},
		{"a", "#!/bin/bash", "bash"},
		{"a", "#!/bin/sh", "bash"},
		{"-", "print('#!julia')", ""},
		{"a.py", "#!/bin/bash", "python"},
		{"", "", ""},
	} {
		if got := batch.LanguageOf(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.path, c.text, got, c.want)
		}
	}
}
