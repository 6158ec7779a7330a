package envd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/fswatch"
)

// slowly gives a piece each time it is read, after a while.
type slowly struct {
	ctx    context.Context
	pieces int
	every  time.Duration
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.pieces--; s.pieces < 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(s.every):
		p[0] = 'x'
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

func (s *slowly) Close() error { return nil }

// wire is a service that takes its time.
type wire struct {
	answersAfter time.Duration
	pieces       int
	every        time.Duration
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	select {
	case <-time.After(w.answersAfter):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: 200, Body: &slowly{r.Context(), w.pieces, w.every}}, nil
}

func TestClocks(t *testing.T) {
	for _, c := range []struct {
		name             string
		request, silence time.Duration
		upload           *slowly
		wire             wire
		late             string
	}{
		{"in time", time.Minute, time.Minute, nil, wire{time.Second, 3, time.Second}, ""},
		{"no answer", time.Minute, time.Minute, nil, wire{2 * time.Minute, 0, 0}, "connecting and sending"},
		{"no limits", 0, 0, nil, wire{24 * time.Hour, 2, 24 * time.Hour}, ""},
		{"three minutes of download", time.Minute, time.Minute, nil, wire{0, 180, time.Second}, ""},
		{"three minutes of upload", time.Minute, time.Minute, &slowly{pieces: 180, every: time.Second}, wire{}, ""},
		{"an upload that stalls", time.Minute, time.Minute, &slowly{pieces: 3, every: 2 * time.Minute}, wire{}, "connecting and sending"},
		{"a download that stalls", time.Minute, time.Minute, nil, wire{0, 3, 2 * time.Minute}, "silence"},
		{"silence off", time.Minute, 0, nil, wire{0, 3, 2 * time.Minute}, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, _ := http.NewRequestWithContext(ctx, "POST", "http://h/", nil)
			if c.upload != nil {
				c.upload.ctx = ctx
				r.Body = c.upload
			}
			answer, err := clocks{next: c.wire, request: c.request, silence: c.silence}.RoundTrip(r)
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			var late *fswatch.TimeoutError
			if errors.As(err, &late) != (c.late != "") || late != nil && (late.Clock != c.late || late.Setting == "") || c.late == "" && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, than string
		older         bool
	}{
		{"", "0.1.4", false},
		{"0.1.3", "0.1.4", true},
		{"0.1.4", "0.1.4", false},
		{"0.1.10", "0.1.4", false},
		{"v0.6.2-rc1", "0.6.3", true},
		{"1", "0.6.4", false},
		{"99.99.99", "0.6.4", false},
	} {
		if older(c.version, c.than) != c.older {
			t.Errorf("%q older than %q", c.version, c.than)
		}
	}
}

// A known old version is told what it lacks, before anything is sent.
func TestOldVersions(t *testing.T) {
	f, err := New(Options{URL: "http://127.0.0.1:1", Version: "0.1.3"})
	must(t, err)
	defer f.Close()
	meta := fswatch.WriteOptions{Meta: map[string]string{"k": "v"}}
	one := []fswatch.File{{Path: "/x", Body: strings.NewReader("x"), Size: 1}}
	for option, do := range map[string]func() error{
		"0.1.4": func() error {
			_, err := f.Watch(t.Context(), "/", fswatch.WatchOptions{Recursive: true})
			return err
		},
		"0.6.3": func() error {
			_, err := f.Watch(t.Context(), "/", fswatch.WatchOptions{Entries: true})
			return err
		},
		"0.6.4": func() error {
			_, err := f.Watch(t.Context(), "/", fswatch.WatchOptions{NetworkMounts: true})
			return err
		},
		"0.6.2": func() error { _, err := f.Write(t.Context(), one, meta); return err },
		"0.5.7": func() error { _, err := f.Write(t.Context(), one, fswatch.WriteOptions{Gzip: true}); return err },
	} {
		if err := do(); !errors.Is(err, fswatch.Unsupported) || !strings.Contains(err.Error(), option) || !strings.Contains(err.Error(), "0.1.3") {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestMetadataIsCheckedBeforeSending(t *testing.T) {
	f, err := New(Options{URL: "http://127.0.0.1:1"})
	must(t, err)
	defer f.Close()
	for _, meta := range []map[string]string{
		{"Upper": "x"}, {"a b": "x"}, {"k": "ü"}, {"k": "a\nb"}, {"k": strings.Repeat("v", 5000)}, {strings.Repeat("k", 300): ""},
	} {
		_, err := f.Write(t.Context(), []fswatch.File{{Path: "/x", Body: strings.NewReader(""), Size: 0}}, fswatch.WriteOptions{Meta: meta})
		if !errors.Is(err, fswatch.Invalid) {
			t.Errorf("%.40v: %v", meta, err)
		}
	}
}
