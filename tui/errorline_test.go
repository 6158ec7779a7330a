package tui

import (
	"reflect"
	"testing"
)

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []frame
	}{
		{"today's", "-----\nZeroDivisionError   Traceback (most recent call last)\n\x1b[36mCell\x1b[39m\x1b[36m In[2]\x1b[39m\x1b[32m, line 3\x1b[39m\n      1 x = 1\n      2 \n\x1b[32m----> 3 f(0)\x1b[39m\n\nCell In[1], line 2, in f(x)\n      1 def f(x):\n----> 2     return 1/x\n\nZeroDivisionError: line 9", []frame{{2, 3, "f(0)"}, {1, 2, "return 1/x"}}},
		{"a syntax error", "  Cell In[3], line 2\n    foo bar\n        ^\nSyntaxError: invalid syntax", []frame{{3, 2, "foo bar"}}},
		{"with files", "Cell In[5], line 2\n      1 import json\n----> 2 json.loads('{')\n\nFile ~/json/__init__.py:346, in loads(s)\n    345 x\n--> 346     return 1", []frame{{5, 2, "json.loads('{')"}}},
		{"version 8.0", "Input In [7], in <cell line: 2>()\n      1 a\n----> 2 b", []frame{{7, 2, "b"}}},
		{"version 7", "<ipython-input-4-abc123> in <module>\n      1 a\n----> 2 b\n\n~/lib/x.py in f()\n      8 y\n----> 9 z", []frame{{4, 2, "b"}}},
		{"nbterm's own", "  File \"<Cell In[1]>\", line 4, in <module>\n    f(0)", []frame{{1, 4, "f(0)"}}},
		{"another language", "Error in f(): halt here\nTraceback:\n1. f()", nil},
		{"too long a number", "Cell In[99999999999999999999], line 99999999999999999999", []frame{{1<<63 - 1, 1<<63 - 1, ""}}},
	} {
		if got := frames(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestLineOfAFrame(t *testing.T) {
	for _, c := range []struct {
		source string
		frame  frame
		want   int
	}{
		{"a\nb", frame{line: 2, code: "b"}, 1},
		{"\n\na\nb", frame{line: 2, code: "b"}, 3}, // IPython drops what is blank at the top
		{"\n\na\nb", frame{line: 4, code: "b"}, 3}, // others do not
		{"a", frame{line: 7, code: "gone"}, 0},
		{"", frame{line: 1}, 0},
		{"\n\na", frame{line: 1 << 60}, 2},
	} {
		if got := lineOf(c.source, c.frame); got != c.want {
			t.Errorf("%q, %+v: line %d, not %d", c.source, c.frame, got, c.want)
		}
	}
}
