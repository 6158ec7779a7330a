package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

func none(string) string { return "" }

func TestAddresses(t *testing.T) {
	here, err := filepath.Abs("x.sock")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, url, base, path, token, password string
		kind                                   Kind
	}{
		{text: "", kind: Local},
		{text: "local", kind: Local},
		{text: "unix:/run/x.sock", kind: Process, url: "unix:/run/x.sock"},
		{text: "unix:x.sock", kind: Process, url: "unix:" + here},
		{text: "nbterm+https://far:8787", kind: Process, url: "nbterm+https://far:8787", base: "https://far:8787"},
		{text: "nbterm+https://far:8787/base/", kind: Process, url: "nbterm+https://far:8787/base", base: "https://far:8787/base"},
		{text: "nbterm+http://far:8787/home/ann/a%20b.ipynb", kind: Process, url: "nbterm+http://far:8787", base: "http://far:8787", path: "/home/ann/a b.ipynb"},
		{text: "ssh://gpu", kind: Process, url: "ssh://gpu"},
		{text: "ssh://ann@gpu:2222/", kind: Process, url: "ssh://ann@gpu:2222"},
		{text: "ssh://gpu/home/ann/a%20b.ipynb", kind: Process, url: "ssh://gpu", path: "/home/ann/a b.ipynb"},
		{text: "e2b:", kind: E2B, url: "e2b:"},
		{text: "e2b:i12-ab_c", kind: E2B, url: "e2b:i12-ab_c"},
		{text: "e2b:12345", kind: E2B, url: "e2b:12345"},
		{text: "e2b+http://127.0.0.1:49999", kind: E2BServer, url: "e2b+http://127.0.0.1:49999", base: "http://127.0.0.1:49999"},
		{text: "e2b+https://h/?token=t", kind: E2BServer, url: "e2b+https://h", base: "https://h", token: "t"},
		{text: "unsandbox:", kind: Unsandbox, url: "unsandbox:"},

		// As people copy them from a browser, a terminal or a mail.
		{text: "http://127.0.0.1:8888/?token=demo", base: "http://127.0.0.1:8888", token: "demo"},
		{text: "http://127.0.0.1:8888/user/ann/?token=demo", base: "http://127.0.0.1:8888/user/ann", token: "demo"},
		{text: "http://127.0.0.1:8888/user/ann?token=demo", base: "http://127.0.0.1:8888/user/ann", token: "demo"},
		{text: "http://127.0.0.1:8888/lab/tree/notes/x.ipynb?token=demo", base: "http://127.0.0.1:8888", path: "notes/x.ipynb", token: "demo"},
		{text: "http://127.0.0.1:8888/notebooks/x.ipynb?token=demo", base: "http://127.0.0.1:8888", path: "x.ipynb", token: "demo"},
		{text: "http://[::1]:8888/?token=demo%2Bplus%20sp", base: "http://[::1]:8888", token: "demo+plus sp"},
		{text: "https://ann:pw@host.invalid/base%20x/?token=demo#frag", base: "https://host.invalid/base%20x", token: "demo", password: "pw"},
		{text: "127.0.0.1:8888", base: "http://127.0.0.1:8888"},
		{text: "localhost:8888/lab?token=demo", base: "http://localhost:8888", token: "demo"},
		{text: "[::1]:8888", base: "http://[::1]:8888"},
		{text: "HTTP://Host.Example:80", base: "http://host.example"},
		{text: "https://h/user/lab/lab/workspaces/w/tree/a%20b.ipynb", base: "https://h/user/lab", path: "a b.ipynb"},
		{text: "https://h/user/ann/notes/x.ipynb", base: "https://h/user/ann", path: "notes/x.ipynb"},
		{text: "https://h/notes/x.ipynb", base: "https://h", path: "notes/x.ipynb"},
		{text: "https://h/nbclassic/notebooks/x.ipynb", base: "https://h", path: "x.ipynb"},
	} {
		if c.kind == "" {
			c.kind, c.url = Jupyter, c.base
		}
		a, in, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if a.Kind != c.kind || a.URL != c.url || a.Base != c.base || a.Path != c.path {
			t.Errorf("%s is %+v", c.text, a)
		}
		r, err := Resolve(a, in, Settings{}, none)
		if err != nil || string(r.Token) != c.token || string(r.Password) != c.password || (r.User != "") != (c.password != "") || c.token+c.password == "" && in != (Secrets{}) {
			t.Errorf("%s has the token %q, the password %q, %v", c.text, string(r.Token), string(r.Password), err)
		}
		if again, _, err := Parse(a.URL); err != nil || again.Base != a.Base || again.Kind != a.Kind {
			t.Errorf("%s, once more: %+v %v", a.URL, again, err)
		}
	}
}

func TestNoAddresses(t *testing.T) {
	for _, text := range []string{
		"gpu", "unix:", "ftp://x/", "http://", "http:x", "http://h:port/?token=hush", "http://ann:hush@h:%zz/", "e2b:a/b", "unsandbox:x", "ssh://", "ssh://h/?x", "ssh://a:b@h", "ssh://-oProxyCommand=x", "https://h\x7f/?token=hush",
	} {
		a, in, err := Parse(text)
		if !errors.Is(err, kernelclient.Invalid) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %+v %v, %v", text, a, in, err)
		}
	}
}

// However an address or what belongs to it is printed, no secret shows.
func TestSecretsDoNotShow(t *testing.T) {
	a, in, err := Parse("http://ann:hush1@h:8888/lab?token=hush2")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(a, in, Settings{}, none)
	if err != nil || r.Token == "" || r.Password == "" {
		t.Fatal(r, err)
	}
	for _, v := range []any{a, &a, in, &in, r, &r, r.Settings, r.Token} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %q %x", v, v, v, v, v, v), string(data), log.String()} {
			if strings.Contains(text, "hush") {
				t.Error(text)
			}
		}
	}
	w, err := FromWire(r.Wire())
	if err != nil || w != r {
		t.Errorf("over the wire: %+v %v, want %+v", w, err, r)
	}
}

func TestResolve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"JUPYTER_TOKEN": "from-env"}[name] }
	for _, c := range []struct {
		url  string
		s    Settings
		want string
	}{
		{"http://h/?token=from-url", Settings{TokenFile: file, Token: "set"}, "from-url"},
		{"http://h/", Settings{TokenFile: file, Token: "set"}, "from-file"},
		{"http://h/", Settings{Token: "set"}, "set"},
		{"http://h/", Settings{}, "from-env"},
		{"e2b:x", Settings{}, ""},
	} {
		a, in, err := Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Resolve(a, in, c.s, env); err != nil || string(r.Token) != c.want {
			t.Errorf("%s: %q %v", c.url, string(r.Token), err)
		}
	}
	if err := os.WriteFile(file, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + ".none"} {
		if _, err := Resolve(Address{Kind: Jupyter}, Secrets{}, Settings{TokenFile: path}, env); !errors.Is(err, kernelclient.Invalid) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
