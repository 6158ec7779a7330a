package fswatch_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
)

func write(t *testing.T, f fswatch.FS, path, text string) {
	t.Helper()
	if _, err := f.Write(t.Context(), []fswatch.File{{Path: path, Body: strings.NewReader(text), Size: -1}}, fswatch.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, f fswatch.FS, path string) {
	t.Helper()
	if err := f.Remove(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

func shown(events []fswatch.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.Op)+" "+e.Name)
	}
	return strings.Join(all, ", ")
}

// expect reads what one look told.
func expect(t *testing.T, s fswatch.Stream, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	time.Sleep(2 * time.Second) // made-up time: a look
	synctest.Wait()
	events, err := s.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(events); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestPollTellsWhatDiffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := memfs.New()
		write(t, f, "/d/old", "1")
		write(t, f, "/d/sub/deep", "1")
		why := errors.New("no reports")
		s, err := fswatch.Poll(t.Context(), f, "d", fswatch.WatchOptions{Recursive: true, Entries: true}, why)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if mode, reason := s.Mode(); mode != fswatch.ModePoll || reason != why {
			t.Errorf("%v, %v", mode, reason)
		}
		time.Sleep(time.Second)
		write(t, f, "/d/old", "22")
		write(t, f, "/d/new/file", "x")
		write(t, f, "/d/empty", "")
		remove(t, f, "/d/sub")
		expect(t, s, "remove sub/deep, remove sub, create empty, create new, create new/file, write new/file, write old")
		remove(t, f, "/d")
		expect(t, s, "remove old, remove new/file, remove new, remove empty, remove .")
		write(t, f, "/d/back", "")
		expect(t, s, "create ., create back")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Next(t.Context()); err != io.EOF {
			t.Error(err)
		}
	})
}

func TestPollSurvivesTwoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := memfs.New()
		if _, err := fswatch.Poll(t.Context(), f, "/missing", fswatch.WatchOptions{}, nil); !errors.Is(err, fswatch.NotFound) {
			t.Error(err)
		}
		s, err := fswatch.Poll(t.Context(), f, "/", fswatch.WatchOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f.Fail("/", fswatch.Disconnect)
		time.Sleep(5 * time.Second)
		write(t, f, "/a", "")
		f.Fail("/", "")
		expect(t, s, "create a")
		f.Fail("/", fswatch.Disconnect)
		if _, err := s.Next(t.Context()); !errors.Is(err, fswatch.Disconnect) {
			t.Error(err)
		}
	})
}
