package notebook

import (
	"bytes"
	"slices"

	"github.com/nbterm/nbterm/notebook/ipynb"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// meta returns a member of the notebook's metadata as it would be saved now, nil for none.
func (d *Document) meta(key string) rawjson.Value {
	for _, e := range slices.Backward(d.metadata) {
		if e.Key == key {
			return e.Value
		}
	}
	return d.file.Metadata().Get(key)
}

func (d *Document) setMeta(key string, v rawjson.Value) {
	edits := slices.DeleteFunc(slices.Clone(d.metadata), func(e ipynb.MetadataEdit) bool { return e.Key == key })
	if !bytes.Equal(v, d.file.Metadata().Get(key)) {
		edits = append(edits, ipynb.MetadataEdit{Key: key, Value: v})
	}
	d.metadata = edits
	d.other++
}

// Kernelspec returns what the notebook says of its kernel; all are "" where it says nothing.
func (d *Document) Kernelspec() (name, display, language string) {
	spec := d.meta("kernelspec")
	return spec.Get("name").Str(), spec.Get("display_name").Str(), spec.Get("language").Str()
}

// Language returns the language of the code cells by the metadata, "" where it is unknown.
func (d *Document) Language() string {
	if name := d.meta("language_info").Get("name").Str(); name != "" {
		return name
	}
	return d.meta("kernelspec").Get("language").Str()
}

// KernelRan says that a kernel ran cells of this notebook. Only what the metadata does
// not have yet is written into it. info is the kernel's language_info, nil for none.
func (d *Document) KernelRan(name, display, language string, info rawjson.Value) {
	if d.writable() != nil {
		return
	}
	if d.meta("kernelspec") == nil {
		d.setMeta("kernelspec", spec(name, display, language))
	}
	if d.meta("language_info") == nil && info.Kind() == rawjson.Object {
		d.setMeta("language_info", info)
	}
}

// SetKernel says that the user chose another kernel. A nil info forgets a language_info
// that is of another language. It is no undo step.
func (d *Document) SetKernel(name, display, language string, info rawjson.Value) {
	if d.writable() != nil {
		return
	}
	if n, s, l := d.Kernelspec(); n != name || s != display || l != language {
		d.setMeta("kernelspec", spec(name, display, language))
	}
	switch old := d.meta("language_info"); {
	case info.Kind() == rawjson.Object && !bytes.Equal(old, info):
		d.setMeta("language_info", info)
	case info == nil && old != nil && old.Get("name").Str() != language:
		d.setMeta("language_info", nil)
	}
}

func spec(name, display, language string) rawjson.Value {
	b := []byte(`{"display_name":`)
	b = append(append(b, rawjson.Quote(display)...), `,"language":`...)
	b = append(append(b, rawjson.Quote(language)...), `,"name":`...)
	return append(append(b, rawjson.Quote(name)...), '}')
}
