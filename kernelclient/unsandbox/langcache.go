package unsandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// fresh is how old the list on disk may be, by the file's time.
const fresh = time.Hour

// languagesWire is the list as it is kept, where other clients of the service look for it too.
type languagesWire struct {
	Languages []string          `json:"languages"`
	Aliases   map[string]string `json:"aliases,omitempty"`
	Timestamp int64             `json:"timestamp"`
}

// Languages tells what the service runs: from ~/.unsandbox/languages.json where that is
// younger than an hour, which takes neither network nor keys, else from the service. Where
// that does not answer an old list will do.
func (c *Client) Languages(ctx context.Context) (Languages, error) {
	file := c.cacheFile()
	old, age, ok := readCache(file, c.now())
	if ok && age < fresh && len(old.Names) > 0 {
		return old, nil
	}
	l, err := c.fetchLanguages(ctx)
	if err != nil {
		if ok && len(old.Names) > 0 {
			old.Stale = true
			return old, nil
		}
		return Languages{}, err
	}
	if len(l.Names) > 0 {
		writeCache(file, l, c.now())
	}
	return l, nil
}

func (c *Client) cacheFile() string {
	home := homeOf(c.opt.Lookup.env)
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".unsandbox", "languages.json")
}

func (c *Client) fetchLanguages(ctx context.Context) (Languages, error) {
	a, err := c.idempotent(ctx, call{method: http.MethodGet, path: "/languages"})
	if err != nil {
		return Languages{}, err
	}
	items, err := list(a.body, "languages")
	if err != nil {
		return Languages{}, notUnderstood("/languages", err)
	}
	var l Languages
	for _, o := range items {
		if name := o.str("id", "name", "language"); name != "" {
			l.Names = append(l.Names, name)
		}
	}
	var whole object
	if json.Unmarshal(a.body, &whole) == nil {
		l.Aliases = aliases(whole.first("aliases"))
	}
	return l, nil
}

// aliases reads what is text of an object.
func aliases(v json.RawMessage) map[string]string {
	var o object
	if json.Unmarshal(v, &o) != nil || len(o) == 0 {
		return nil
	}
	out := map[string]string{}
	for k := range o {
		if to := o.str(k); to != "" {
			out[k] = to
		}
	}
	return out
}

// readCache reads the list on disk; whatever is wrong with it makes it none.
func readCache(file string, now time.Time) (l Languages, age time.Duration, ok bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return l, 0, false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return l, 0, false
	}
	var o object
	if json.Unmarshal(data, &o) != nil || json.Unmarshal(o.first("languages"), &l.Names) != nil {
		return Languages{}, 0, false
	}
	l.Aliases = aliases(o.first("aliases"))
	return l, now.Sub(info.ModTime()), true
}

// writeCache keeps a list. That it cannot be kept costs the next call a request.
func writeCache(file string, l Languages, now time.Time) {
	if file == "" || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	data, err := encode(languagesWire{l.Names, l.Aliases, now.Unix()})
	if err != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".languages-*") // 0600
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}
