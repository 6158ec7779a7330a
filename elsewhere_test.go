package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name in the config file stands for an address with its settings, and so does the
// address itself in another spelling. Flags count before the file.
func TestHostNames(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("NBTERM_TOKEN", "from-env")
	if err := os.MkdirAll(filepath.Dir(configFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("from-flag\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "[hosts.gpu]\nurl = 'https://gpu:8888/user/ann/'\ntoken = 'from-file'\nca_file = '/ca.pem'\n" +
		"[hosts.old]\nurl = 'http://old:8888/?token=in-url'\n"
	if err := os.WriteFile(configFile(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, flag, want string }{
		{"", "", "|"},
		{"gpu", "", "https://gpu:8888/user/ann|from-file/ca.pem"},
		{"https://GPU:8888/user/ann/lab", "", "https://gpu:8888/user/ann|from-file/ca.pem"},
		{"gpu", token, "https://gpu:8888/user/ann|from-flag/ca.pem"},
		{"old", "", "http://old:8888|in-url"},
		{"http://new:8888", "", "http://new:8888|from-env"},
		{"http://new:8888", token, "http://new:8888|from-flag"},
	} {
		f := hostFlags{url: c.host}
		f.TokenFile = c.flag
		got, err := f.resolve()
		if s := got.URL + "|" + string(got.Token) + got.CAFile; err != nil || s != c.want {
			t.Errorf("--host %s: %q %v, want %q", c.host, s, err, c.want)
		}
	}
	settings, err := readConfig(configFile())
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{"https://gpu:8888/user/ann": "from-file", "http://old:8888": "in-url", "http://new:8888": "from-env"} {
		if again, err := settings.again(url); err != nil || string(again.Token) != want {
			t.Errorf("%s, after the host process ended: %q %v", url, string(again.Token), err)
		}
	}
	if _, err := (&hostFlags{url: "cpu"}).resolve(); err == nil || !strings.Contains(err.Error(), "cpu") {
		t.Errorf("an unknown name: %v", err)
	}
}
