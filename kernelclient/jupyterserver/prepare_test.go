package jupyterserver

import (
	"errors"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

func TestPrepare(t *testing.T) {
	f := newFake(t, false)
	h := host(t, f.URL)
	defer h.Close()
	for _, c := range []struct {
		spec           kernelclient.StartSpec
		language, code string
		refused        bool
	}{
		{kernelclient.StartSpec{}, "python", "", false},
		{kernelclient.StartSpec{Dir: "notes"}, "R", "", false}, // the server's affair
		{kernelclient.StartSpec{Env: []string{`A=x"y=z`}, Dir: "/tmp/a b"}, "python", "__import__('os').environ.update({\"A\":\"x\\\"y=z\"})\n__import__('os').chdir(\"/tmp/a b\")\n", false},
		{kernelclient.StartSpec{Env: []string{"A=x"}}, "R", "", true},
		{kernelclient.StartSpec{Dir: "/tmp"}, "R", "", true},
	} {
		code, err := h.launcher("id", c.spec).prepare(c.language)
		if code != c.code || errors.Is(err, kernelclient.Unsupported) != c.refused {
			t.Errorf("%+v, %s: %q, %v", c.spec, c.language, code, err)
		}
	}
}
