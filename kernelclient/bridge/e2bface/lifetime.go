package e2bface

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// lifetime is how long a sandbox lasts whose maker does not say.
	lifetime = 5 * time.Minute
	// longest bounds what a maker may say: E2B's own lasts a day.
	longest = 30 * 24 * time.Hour
)

// secondsField reads a number of seconds.
func secondsField(name string, to **time.Duration) field {
	return func(_ json.RawMessage, members map[string]json.RawMessage) []complaint {
		raw, ok := members[name]
		if !ok || string(raw) == string(nothing) {
			return nil
		}
		var seconds int64
		if json.Unmarshal(raw, &seconds) != nil || seconds < 0 {
			return []complaint{{Type: "int_type", Loc: []any{"body", name}, Msg: "Input should be a valid integer, 0 or more", Input: raw}}
		}
		d := time.Duration(min(seconds, int64(longest/time.Second))) * time.Second
		*to = &d
		return nil
	}
}

// lastsUntil sets when a sandbox ends. The caller holds f.mu.
func (f *Face) lastsUntil(b *sandbox, end time.Time) {
	b.ends = end
	if b.timer != nil {
		b.timer.Stop()
	}
	b.timer = time.AfterFunc(time.Until(end), func() {
		f.mu.Lock()
		over := !time.Now().Before(b.ends) // else it was put off meanwhile
		f.mu.Unlock()
		if over {
			f.drop(b)
		}
	})
}

// prolong answers a call that sets how long a sandbox lasts from now on; with only it is
// never made to end sooner.
func (f *Face) prolong(w http.ResponseWriter, r *http.Request, b *sandbox, only bool) {
	var lasts *time.Duration
	read := []field{secondsField("timeout", &lasts), secondsField("duration", &lasts)}
	if r.ContentLength != 0 && !readBody(w, r, read...) {
		return
	}
	f.mu.Lock()
	if lasts != nil {
		if end := time.Now().Add(*lasts); !only || end.After(b.ends) {
			f.lastsUntil(b, end)
		}
	}
	f.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/connect") || strings.HasSuffix(r.URL.Path, "/resume") {
		answer(w, b.described())
		return
	}
	reply(w, http.StatusNoContent, "", "")
}

// drop ends a sandbox and breaks what connections it has. It does not wait.
func (f *Face) drop(b *sandbox) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.boxes[b.id] != b {
		return // somebody else ends it
	}
	delete(f.boxes, b.id)
	f.wg.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), ending)
		defer cancel()
		b.close(ctx, true)
	})
}

// listed is a sandbox as the control plane lists it. What nothing here limits is 0.
type listed struct {
	TemplateID  string            `json:"templateID"`
	SandboxID   string            `json:"sandboxID"`
	ClientID    string            `json:"clientID"`
	StartedAt   time.Time         `json:"startedAt"`
	EndAt       time.Time         `json:"endAt"`
	CPUs        int               `json:"cpuCount"`
	MemoryMB    int               `json:"memoryMB"`
	DiskMB      int               `json:"diskSizeMB"`
	State       string            `json:"state"`
	EnvdVersion string            `json:"envdVersion"`
	Metadata    map[string]string `json:"metadata"`
}

func (f *Face) detail(b *sandbox) listed {
	f.mu.Lock()
	defer f.mu.Unlock()
	return listed{
		TemplateID: b.made.Template, SandboxID: b.id, ClientID: clientID, StartedAt: b.started.UTC(), EndAt: b.ends.UTC(),
		CPUs: runtime.NumCPU(), State: "running", EnvdVersion: envdVersion, Metadata: b.made.Metadata,
	}
}

// unescaped undoes the second of the two escapings of E2B's clients.
func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// listSandboxes tells of the sandboxes that were made, the youngest first: all in one page.
func (f *Face) listSandboxes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	want, _ := url.ParseQuery(query.Get("metadata")) // what cannot be read asks for nothing
	f.mu.Lock()
	var boxes []*sandbox
	for _, b := range f.boxes {
		if b.id != "" {
			boxes = append(boxes, b)
		}
	}
	f.mu.Unlock()
	slices.SortFunc(boxes, func(a, b *sandbox) int { return b.started.Compare(a.started) })
	out := []listed{}
	for _, b := range boxes {
		fits := !query.Has("state") || strings.Contains(strings.Join(query["state"], ","), "running")
		for k := range want {
			fits = fits && b.made.Metadata[unescaped(k)] == unescaped(want.Get(k))
		}
		if fits {
			out = append(out, f.detail(b))
		}
	}
	answer(w, out)
}
