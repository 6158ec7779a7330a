package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

func TestChoose(t *testing.T) {
	kernel := func(name, lang, broken string) kernelclient.Kernel {
		return kernelclient.Kernel{Name: name, DisplayName: name, Language: lang, Found: "there", Broken: broken}
	}
	py, built, r, conda := kernel("python3", "python", ""), kernel("builtin-python", "python", ""), kernel("ir", "R", ""), kernel("conda-x", "python", "")
	elsewhere := kernelclient.Kernel{Name: "conda:ml", Language: "python", Elsewhere: true}
	badPy, bad := kernel("python3", "python", "no such binary"), kernel("bad", "python", "no argv")
	all := []kernelclient.Kernel{conda, py, r, bad, built}
	for _, c := range []struct {
		name    string
		kernels []kernelclient.Kernel
		wish    Wish
		want    string // "" = an error
		says    string // in the note or the error
	}{
		{"python3 there", all, Wish{Name: "python3", Language: "python"}, "python3", ""},
		{"exact wins", all, Wish{Name: "conda-x", Language: "python"}, "conda-x", ""},
		{"case", all, Wish{Name: "IR"}, "ir", ""},
		{"any python", []kernelclient.Kernel{r, built}, Wish{Name: "python3", Language: "python"}, "builtin-python", "names python3"},
		{"ipykernel before built-in", []kernelclient.Kernel{built, conda}, Wish{Name: "python3"}, "conda-x", "names python3"},
		{"broken python3", []kernelclient.Kernel{badPy, built}, Wish{Name: "python3"}, "builtin-python", "names python3"},
		{"plain python by display name", []kernelclient.Kernel{built}, Wish{Name: "venv311", Display: "Python 3.11", Language: "python"}, "builtin-python", "names venv311"},
		{"own python is strict", []kernelclient.Kernel{built}, Wish{Name: "my-project", Display: "My project", Language: "python"}, "", "builtin-python"},
		{"other language is strict", all, Wish{Name: "no-such-kernel-xyz", Language: "unob"}, "", "no-such-kernel-xyz"},
		{"no name, no language", all, Wish{}, "python3", ""},
		{"no name, R", all, Wish{Language: "R"}, "ir", ""},
		{"no name, bash", []kernelclient.Kernel{py, built, kernel("builtin-shell", "bash", "")}, Wish{Language: "bash"}, "builtin-shell", ""},
		{"ipython is not taken by itself", []kernelclient.Kernel{kernel("builtin-ipython", "python", ""), built}, Wish{Name: "python3"}, "builtin-python", "names python3"},
		{"ipython by itself without a name", []kernelclient.Kernel{kernel("builtin-ipython", "python", ""), built}, Wish{}, "builtin-python", ""},
		{"ipython when asked", []kernelclient.Kernel{built, kernel("builtin-ipython", "python", "")}, Wish{Override: "builtin-ipython"}, "builtin-ipython", ""},
		{"an environment elsewhere is not taken by itself", []kernelclient.Kernel{elsewhere, built}, Wish{Name: "python3"}, "builtin-python", "names python3"},
		{"nor without a name", []kernelclient.Kernel{elsewhere, built}, Wish{Language: "python"}, "builtin-python", ""},
		{"when asked", []kernelclient.Kernel{built, elsewhere}, Wish{Override: "conda:ml"}, "conda:ml", ""},
		{"no name, unknown language", all, Wish{Language: "cobol"}, "", "cobol"},
		{"override is strict", []kernelclient.Kernel{built}, Wish{Override: "python3", Name: "ir"}, "", "python3"},
		{"override", all, Wish{Override: "builtin-python", Name: "ir"}, "builtin-python", ""},
		{"broken is said", all, Wish{Name: "bad"}, "", "no argv"},
		{"nothing at all", nil, Wish{}, "", "install python3"},
	} {
		k, note, err := Choose(c.kernels, c.wish)
		if c.want == "" {
			if !errors.Is(err, kernelclient.NotFound) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || k.Name != c.want || !strings.Contains(note, c.says) || c.says == "" && note != "" {
			t.Errorf("%s: %q, note %q, %v", c.name, k.Name, note, err)
		}
	}
}
