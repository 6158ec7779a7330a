package main

import (
	"testing"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

func TestFileRange(t *testing.T) {
	for text, want := range map[string]fswatch.Range{
		"0-9": {Length: 10}, "5-5": {Offset: 5, Length: 1}, "7-": {Offset: 7}, "-3": {Offset: -3},
	} {
		var r fileRange
		if err := r.Set(text); err != nil || fswatch.Range(r) != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "-", "5", "a-b", "3-1", "-0", "--3", "1-2-3", "1-9223372036854775807", "99999999999999999999-"} {
		if err := new(fileRange).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		name       string
		done, size int64
		took       time.Duration
		want       string
	}{
		{"data.bin", 5e6, 20e6, 2 * time.Second, "data.bin [#######-----------------------]  25% of 20.0 MB 2.5 MB/s"},
		{"a very long name of a file.csv", 3e6, 3e6, 0, "a very long name of… [##############################] 100% of 3.0 MB"},
		{"stream", 7e6, -1, time.Second, "stream 7.0 MB 7.0 MB/s"},
	} {
		if got := progressLine(c.name, c.done, c.size, c.took); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
