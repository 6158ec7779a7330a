package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// Wish is what is known about the kernel to be chosen.
type Wish struct {
	Override string // the user's --kernel: strict
	Existing string // the user's --existing, for StartFor: nothing is to be chosen
	Name     string // the notebook's kernelspec.name
	Display  string // its display_name
	Language string // its language, "" if unknown
}

// Choose picks a kernel of a host's list for a notebook. Any Python is good enough for
// python3 and its likes: the first one that works, environments before the built-in one;
// every other name is meant. note says what was chosen instead of what the file names,
// and is empty where they agree. The error names what is missing and the choices.
func Choose(kernels []kernelclient.Kernel, w Wish) (k kernelclient.Kernel, note string, err error) {
	name := w.Override
	if name == "" {
		name = w.Name
	}
	if name == "" {
		return byLanguage(kernels, w.Language)
	}
	for _, k := range kernels {
		if strings.EqualFold(k.Name, name) && k.Broken == "" {
			return k, "", nil
		}
	}
	if w.Override == "" && anyPython(w) {
		if k, ok := python(kernels); ok {
			return k, fmt.Sprintf("the notebook names %s; running on %s (%s)", name, k.Name, k.Found), nil
		}
	}
	for _, k := range kernels {
		if strings.EqualFold(k.Name, name) {
			return k, "", &kernelclient.Error{
				Kind: kernelclient.NotFound, What: fmt.Sprintf("kernel %q cannot be started: %s", name, k.Broken),
				Next: choices(kernels),
			}
		}
	}
	return k, "", &kernelclient.Error{Kind: kernelclient.NotFound, What: fmt.Sprintf("kernel %q is not installed", name), Next: choices(kernels)}
}

// anyPython tells whether a notebook means no particular Python: it names python3, or a
// spec of the Python language that calls itself just that.
func anyPython(w Wish) bool {
	if strings.EqualFold(w.Name, "python3") {
		return true
	}
	plain := strings.HasPrefix(strings.ToLower(w.Name), "python") || strings.HasPrefix(w.Display, "Python 3")
	return strings.EqualFold(w.Language, "python") && plain
}

// python returns the best Python there is; hosts list the nearest environment first.
func python(kernels []kernelclient.Kernel) (best kernelclient.Kernel, ok bool) {
	rank := func(k kernelclient.Kernel) int {
		switch {
		case k.Broken != "" || k.Elsewhere || !strings.EqualFold(k.Language, "python") || k.Name == kernelclient.BuiltinIPython:
			return 0
		case k.Name == kernelclient.BuiltinPython:
			return 1
		case strings.EqualFold(k.Name, "python3"):
			return 3
		}
		return 2
	}
	for _, k := range kernels {
		if rank(k) > rank(best) || !ok && rank(k) > 0 {
			best, ok = k, true
		}
	}
	return best, ok
}

func byLanguage(kernels []kernelclient.Kernel, language string) (k kernelclient.Kernel, note string, err error) {
	if language == "" || strings.EqualFold(language, "python") {
		if k, ok := python(kernels); ok {
			return k, "", nil
		}
		language = "Python"
	}
	for _, k := range kernels {
		if k.Broken == "" && !k.Elsewhere && strings.EqualFold(k.Language, language) {
			return k, "", nil
		}
	}
	return k, "", &kernelclient.Error{
		Kind: kernelclient.NotFound, What: fmt.Sprintf("there is no kernel for the language %s", language),
		Next: choices(kernels),
	}
}

// choices names what can be started, as the next step of an error.
func choices(kernels []kernelclient.Kernel) string {
	var names []string
	for _, k := range kernels {
		if k.Broken == "" && !k.Elsewhere {
			names = append(names, k.Name)
		}
	}
	if len(names) == 0 {
		return "no kernel can be started here: install python3 (3.8 or newer), or a Jupyter kernel such as ipykernel"
	}
	return "--kernel chooses one of: " + strings.Join(names, ", ")
}

// StartFor chooses a kernel by w and starts it as spec says, or joins the
// one that w.Existing names, for code that is in no notebook.
func StartFor(ctx context.Context, host kernelclient.Host, w Wish, spec kernelclient.StartSpec) (kernelclient.Context, error) {
	spec.Forget = true // there is one reader, who passes everything on
	if w.Existing != "" {
		j, err := kernelclient.JoinerOf(host)
		if err != nil {
			return nil, err
		}
		return j.Existing(ctx, w.Existing, spec)
	}
	kernels, err := host.Kernels(ctx)
	if err != nil {
		return nil, err
	}
	k, _, err := Choose(kernels, w)
	if err != nil {
		return nil, err
	}
	spec.Kernel = k.Name
	return host.Start(ctx, spec)
}
