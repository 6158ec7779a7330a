package e2bface

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	if got, want := python("a'b\"\\\n\U0001f600"), `"a'b\"\\\U0000000a\U0001f600"`; got != want {
		t.Errorf("python: %s, not %s", got, want)
	}
	if got := assignments("bash", []variable{{"K", "a'b", true}, {"X; rm", "1", true}}); got != "export K='a'\\''b'\n" {
		t.Errorf("bash: %q", got)
	}
}

// TestPreludeCompiles lets Python read the start-up code, which no compiler of ours does.
func TestPreludeCompiles(t *testing.T) {
	python3, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	cmd := exec.Command(python3, "-c", "import sys; compile(sys.stdin.read(), 'startup', 'exec')")
	cmd.Stdin = strings.NewReader(startup)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestComplaints(t *testing.T) {
	for body, want := range map[string]string{
		"":                               `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`,
		"{}":                             `{"detail":[{"type":"missing","loc":["body","code"],"msg":"Field required","input":{}}]}`,
		`{"code":null}`:                  `{"detail":[{"type":"string_type","loc":["body","code"],"msg":"Input should be a valid string","input":null}]}`,
		`{"code":"","env_vars":{"A":1}}`: `{"detail":[{"type":"string_type","loc":["body","env_vars","A"],"msg":"Input should be a valid string","input":1}]}`,
	} {
		var code string
		var vars map[string]string
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/execute", strings.NewReader(body))
		if readBody(w, r, textField("code", &code, true), mapField("env_vars", &vars)) {
			t.Errorf("%q is taken", body)
		}
		got, _ := io.ReadAll(w.Result().Body)
		if string(got) != want || w.Code != http.StatusUnprocessableEntity || !json.Valid(got) {
			t.Errorf("%q: %d %s, not %s", body, w.Code, got, want)
		}
	}
}

// TestTokens asks without, with a wrong and with the right token.
func TestTokens(t *testing.T) {
	const token = "e2b_00aa"
	f := &Face{opt: Options{Token: token, Sandboxes: t.TempDir()}, boxes: map[string]*sandbox{}}
	f.boxes[""] = &sandbox{face: f, traffic: token, access: token}
	for _, c := range []struct {
		method, path, header, value string
		want                        int
	}{
		{"GET", "/health", "", "", 403},
		{"GET", "/health", "E2b-Traffic-Access-Token", "e2b_00ab", 403},
		{"GET", "/health", "E2b-Traffic-Access-Token", token, 200},
		{"GET", "/health", "Authorization", "Bearer " + token, 200},
		{"POST", "/v2/sandboxes", "X-Api-Key", "e2b_00ab", 401},
		{"DELETE", "/sandboxes/none", "X-Api-Key", token, 404},
		{"GET", "/health", "E2b-Sandbox-Id", "nbterm-ended", 502},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(context.Background(), c.method, c.path, nil)
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		f.ServeHTTP(w, r)
		if w.Code != c.want || strings.Contains(w.Body.String(), token) {
			t.Errorf("%s %s with %s: %d %s, not %d", c.method, c.path, c.header, w.Code, w.Body, c.want)
		}
	}
}
