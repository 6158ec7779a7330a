package tui

import "testing"

func TestShortHost(t *testing.T) {
	for address, want := range map[string]string{
		"":                             "",
		"http://127.0.0.1:8888":        "127.0.0.1:8888",
		"https://hub.example/user/ann": "hub.example/user/ann",
		"e2b+http://127.0.0.1:49999":   "127.0.0.1:49999",
		"e2b:":                         "e2b",
		"e2b:i12ab":                    "e2b:i12ab",
		"unsandbox:?ttl=300":           "unsandbox",
	} {
		if got := shortHost(address); got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}
