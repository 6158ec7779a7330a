package hosts

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		"local":                     "*local.Host",
		"http://127.0.0.1:1/":       "*jupyterserver.Host",
		"e2b:":                      "*e2b.Host",
		"e2b+http://127.0.0.1:1":    "*e2b.Host",
		"unsandbox:":                "*unsandbox.Host",
		"unsandbox:?ttl=300":        "*unsandbox.Host",
		"unsandbox:?nonsense=1":     "",
		"nbterm+http://127.0.0.1:1": "*bridge.Client",
	} {
		a, in, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Resolve(a, in, Settings{}, none)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(r, Options{Env: []string{"HOME=" + t.TempDir()}, Dir: t.TempDir()})
		if want == "" {
			if h != nil || !errors.Is(err, kernelclient.Invalid) {
				t.Errorf("%s: %T %v", text, h, err)
			}
			continue
		}
		if got := fmt.Sprintf("%T", h); got != want || err != nil {
			t.Errorf("%s: %s %v", text, got, err)
			continue
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
