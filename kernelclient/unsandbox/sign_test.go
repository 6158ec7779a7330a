package unsandbox

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// vector is a request and its signature, as the service's own clients compute it.
type vector struct{ key, at, method, path, body, signature string }

func vectors(t *testing.T) (out []vector) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 6 {
			continue
		}
		body, err := strconv.Unquote(f[4])
		if err != nil {
			t.Fatal(line, err)
		}
		out = append(out, vector{f[0], f[1], f[2], f[3], body, f[5]})
	}
	return out
}

func TestSign(t *testing.T) {
	all := vectors(t)
	if len(all) != 35 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		if got := Sign(v.key, v.at, v.method, v.path, []byte(v.body)); got != v.signature {
			t.Errorf("%s %s %q: %s", v.method, v.path, v.body, got)
		}
	}
	if Sign("s", "1", "GET", "/a", nil) != Sign("s", "1", "GET", "/a", []byte{}) {
		t.Error("no body and an empty one differ")
	}
}
