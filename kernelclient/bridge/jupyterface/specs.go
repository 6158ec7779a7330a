package jupyterface

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// native is the kernel that notebooks of Python name. Where none is installed by that name
// the built-in Python serves for it.
const native = "python3"

// spec is a kernelspec as clients see it.
type spec struct {
	Name      string            `json:"name"`
	Spec      json.RawMessage   `json:"spec"`
	Resources map[string]string `json:"resources"`
	kernel    string            // what Kernels calls it
	dir       string            // its folder, "" for none
}

// builtinSpec is the kernel.json of a kernel that has none.
type builtinSpec struct {
	Argv          []string          `json:"argv"`
	Env           map[string]string `json:"env"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Metadata      map[string]any    `json:"metadata"`
}

// specs are the kernels that can be started by Jupyter's clients, and the one for who names
// none.
func (f *Face) specs(ctx context.Context) (all map[string]spec, otherwise string, err error) {
	kernels, err := f.opt.Kernels.Kernels(ctx)
	if err != nil {
		return nil, "", err
	}
	all = map[string]spec{}
	for _, k := range kernels {
		if _, again := all[k.Name]; again || !servable(k) {
			continue
		}
		all[k.Name] = specOf(k, k.Name)
		if otherwise == "" {
			otherwise = k.Name
		}
	}
	if _, ok := all[native]; ok {
		return all, native, nil
	}
	i := slices.IndexFunc(kernels, func(k kernelclient.Kernel) bool { return k.Name == kernelclient.BuiltinPython && servable(k) })
	if i < 0 {
		return all, otherwise, nil
	}
	all[native] = specOf(kernels[i], native)
	return all, native, nil
}

// servable tells whether a kernel can be offered: one that is whole, has a name that
// kernelspecs may have, and speaks Jupyter's protocol.
func servable(k kernelclient.Kernel) bool {
	return k.Broken == "" && !k.Elsewhere && k.Name != kernelclient.BuiltinShell && regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(k.Name)
}

func specOf(k kernelclient.Kernel, name string) spec {
	s := spec{Name: name, kernel: k.Name, Resources: map[string]string{}}
	if filepath.IsAbs(k.Found) {
		if data, err := os.ReadFile(filepath.Join(k.Found, "kernel.json")); err == nil && json.Valid(data) {
			s.Spec, s.dir = data, k.Found
		}
	}
	if s.Spec == nil {
		s.Spec, _ = json.Marshal(builtinSpec{ // texts alone: it cannot fail
			Argv: []string{"nbterm"}, Env: map[string]string{}, DisplayName: k.DisplayName, Language: k.Language,
			InterruptMode: "signal", Metadata: map[string]any{},
		})
	}
	for _, file := range resources(s.dir) {
		key := strings.TrimSuffix(file, filepath.Ext(file))
		if key == "kernel" {
			key = file // kernel.js and kernel.css
		}
		s.Resources[key] = "/kernelspecs/" + name + "/" + file
	}
	return s
}

// resources are the files beside a kernel.json that clients show.
func resources(dir string) (files []string) {
	if dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(dir) // a folder that cannot be read shows nothing
	for _, e := range entries {
		name := e.Name()
		if name == "kernel.js" || name == "kernel.css" || strings.HasPrefix(name, "logo-") {
			files = append(files, name)
		}
	}
	return files
}

func (f *Face) listSpecs(w http.ResponseWriter, r *http.Request) {
	all, otherwise, err := f.specs(r.Context())
	if err != nil {
		refuseFor(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"default": otherwise, "kernelspecs": all})
}

func (f *Face) oneSpec(w http.ResponseWriter, r *http.Request) {
	if s, ok := f.findSpec(w, r); ok {
		answer(w, http.StatusOK, s)
	}
}

func (f *Face) findSpec(w http.ResponseWriter, r *http.Request) (spec, bool) {
	all, _, err := f.specs(r.Context())
	if err != nil {
		refuseFor(w, err)
		return spec{}, false
	}
	s, ok := all[r.PathValue("name")]
	if !ok {
		refuse(w, http.StatusNotFound, "Kernel spec "+r.PathValue("name")+" not found")
	}
	return s, ok
}

func (f *Face) resource(w http.ResponseWriter, r *http.Request) {
	s, ok := f.findSpec(w, r)
	switch file := r.PathValue("file"); {
	case !ok:
	case !slices.Contains(resources(s.dir), file):
		refuse(w, http.StatusNotFound, "Kernelspec resource "+file+" not found")
	default:
		http.ServeFile(w, r, filepath.Join(s.dir, file))
	}
}
