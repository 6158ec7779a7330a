package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
)

// Each event is one line, told as it happens, whatever its name has in it.
func TestWatchPrintsALineAnEvent(t *testing.T) {
	f := memfs.New()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- printEvents(ctx, w, watchTold{f, func() { putFile(t, f, "/sub/new\nline\xff", "text") }}, "/", fswatch.WatchOptions{Recursive: true, Entries: true}, true)
	}()
	lines := bufio.NewScanner(r)
	var got []string
	for len(got) < 3 && lines.Scan() {
		var row eventRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Entry == nil || row.Time.IsZero() {
			t.Errorf("%s", lines.Bytes())
		}
		got = append(got, row.Op+" "+row.Name+" "+row.NameBase64)
	}
	want := "create sub , create sub/new\nline\ufffd c3ViL25ldwpsaW5l/w==, write sub/new\nline\ufffd c3ViL25ldwpsaW5l/w=="
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// watchTold does something once a watch is open.
type watchTold struct {
	fswatch.FS
	then func()
}

func (w watchTold) Watch(ctx context.Context, dir fswatch.Path, opt fswatch.WatchOptions) (fswatch.Stream, error) {
	s, err := w.FS.Watch(ctx, dir, opt)
	w.then()
	return s, err
}

func putFile(t *testing.T, f fswatch.FS, path, text string) {
	t.Helper()
	if _, err := f.Write(t.Context(), []fswatch.File{{Path: path, Body: strings.NewReader(text), Size: -1}}, fswatch.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}
