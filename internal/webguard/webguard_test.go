package webguard_test

import (
	"testing"

	"github.com/nbterm/nbterm/internal/webguard"
)

func TestNamed(t *testing.T) {
	for host, want := range map[string]bool{
		"": true, "localhost": true, "LOCALHOST:8080": true, "127.0.0.1:1": true, "[::1]:1": true, "::1": true, "box:80": true,
		"evil.example": false, "127.0.0.1.evil.example:80": false, "localhost.evil.example": false, "box.evil": false,
	} {
		if got := webguard.Named(host, []string{"Box"}); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		origin, host string
		want         bool
	}{
		{"http://127.0.0.1:80", "127.0.0.1:80", true},
		{"https://Box:1", "box:1", true},
		{"http://127.0.0.1:81", "127.0.0.1:80", false},
		{"null", "127.0.0.1:80", false},
		{"file://", "", false},
		{"http://evil.example", "127.0.0.1:80", false},
		{":", "", false},
	} {
		if got := webguard.SameOrigin(c.origin, c.host); got != c.want {
			t.Errorf("%q at %q: %v", c.origin, c.host, got)
		}
	}
}
