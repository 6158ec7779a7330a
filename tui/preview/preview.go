package preview

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
)

// Limit is how many bytes of a file are read at most.
const Limit = 1 << 20

// Preview is what is to be shown of a file.
type Preview struct {
	What     string // in a few words, such as "CSV, 12.3 KB"
	Text     string // shown in Language, if bundle and dump are empty
	Language string
	bundle   mime.Bundle
	dump     *dump
}

// ErrNotFile says that something is no file, and what it is.
var ErrNotFile = errors.New("only files have a preview")

// Read reads what is shown of a file. Errors are those of the FS, or wrap ErrNotFile.
func Read(ctx context.Context, files fswatch.FS, name fswatch.Path) (Preview, error) {
	e, err := files.Stat(ctx, name)
	if err != nil {
		return Preview{}, err
	}
	switch e.Type {
	case fswatch.TypeDir:
		return Preview{}, fmt.Errorf("%s is a folder: %w", path.Base(name), ErrNotFile)
	case fswatch.TypeOther:
		return Preview{}, fmt.Errorf("%s is a pipe, a socket or a device, which is never opened: %w", path.Base(name), ErrNotFile)
	case fswatch.TypeNone:
		return Preview{}, fmt.Errorf("%s is a link that leads nowhere: %w", path.Base(name), ErrNotFile)
	case fswatch.TypeFile:
	}
	p, err := readParts(ctx, files, name)
	if err != nil {
		return Preview{}, err
	}
	v := p.show(ctx, files, name)
	v.What = strings.Join(notEmpty(v.What, render.ByteSize(p.size), p.missing()), ", ")
	return v, nil
}

func notEmpty(words ...string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// show chooses by content first: names lie.
func (p parts) show(ctx context.Context, files fswatch.FS, name fswatch.Path) Preview {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch mimeType := pictureType(p.head); {
	case mimeType != "":
		return picture(p, mimeType)
	case isZip(p.head):
		return listZip(p)
	case isGzip(p.head), isTar(p.head):
		if v, ok := listTar(ctx, files, name, p); ok {
			return v
		}
		return hex(p, "compressed")
	}
	text, ok := decode(p)
	switch {
	case !ok:
		return hex(p, "binary")
	case len(p.head) == 0 && p.size == 0:
		return Preview{What: "empty"}
	case ext == "csv" || ext == "tsv" || ext == "tab":
		if v, ok := csvTable(text, ext, p.whole()); ok {
			return v
		}
	case ext == "json" && p.whole():
		if v, ok := jsonTree(text); ok {
			return v
		}
	}
	return Preview{Text: text, Language: language(path.Base(name), ext)}
}

// language is what a file's code is highlighted as: by its ending, or its whole name.
func language(base, ext string) string {
	switch ext {
	case "":
		return base
	case "txt", "log":
		return ""
	case "ipynb":
		return "json"
	}
	return ext
}

// Block is the drawing of the preview. pictures may be nil.
func (v Preview) Block(th themes.Theme, pictures *render.Pictures) render.Block {
	switch {
	case v.dump != nil:
		return v.dump
	case v.bundle != nil:
		out := mime.Output{Body: &mime.Data{Bundle: v.bundle}}
		return render.OutputsWith([]mime.Output{out}, th, pictures)[0]
	}
	return render.Source(strings.TrimSuffix(v.Text, "\n"), v.Language, th)
}
