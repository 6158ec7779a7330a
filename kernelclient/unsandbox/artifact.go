package unsandbox

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"
	"unicode"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Artifact is a file that a program left in /tmp/artifacts, or what was compiled of it.
type Artifact struct {
	Name string // a bare name, safe to be a file's; "" if the service gave none
	Data []byte
	Err  string // why there is no Data
}

// maxInline bounds what of an artifact becomes an output, in bytes.
const maxInline = 16 << 20

// artifactsOf reads all forms in which files come back.
func artifactsOf(o object) (out []Artifact) {
	if v := o.first("artifacts"); v != nil {
		items, _ := list(v)
		for _, item := range items {
			out = append(out, artifactOf(item))
		}
	}
	for _, name := range []string{"artifact", "wasm_artifact"} {
		if in := o.inner(name); len(in) > 0 {
			out = append(out, artifactOf(in))
		}
	}
	return out
}

func artifactOf(o object) Artifact {
	a := Artifact{Name: bareName(o.str("filename", "name"))}
	if o.str("type") == "error" || o.first("error") != nil {
		a.Err = excerpt([]byte(textOrMessage(o.first("error"))))
		if a.Err == "" {
			a.Err = "the service could not return it"
		}
		return a
	}
	content := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, o.str("data", "content_base64", "content"))
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
	if err != nil {
		a.Err = "its content is no base64"
		return a
	}
	a.Data = data
	return a
}

// bareName makes a name of the service's a file name without a folder, control characters
// or a dot in front.
func bareName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		return ""
	}
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, path.Base(name))
	return strings.TrimLeft(name, ". ")
}

// bundle is an artifact as an output. Files of no kind that a notebook shows are named with their length.
func (a Artifact) bundle() mime.Bundle {
	name := a.Name
	if name == "" {
		name = "an artifact"
	}
	plain := mime.Entry{Type: "text/plain", Value: jsonText(name + ", " + sizeOf(len(a.Data)))}
	if a.Err != "" {
		plain.Value = jsonText(name + ": " + a.Err)
		return mime.Bundle{plain}
	}
	typ := typeOf(a.Name)
	if typ == "" || len(a.Data) > maxInline {
		return mime.Bundle{plain}
	}
	entry := mime.Entry{Type: typ}
	switch typ {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		entry.Value = jsonText(base64.StdEncoding.EncodeToString(a.Data))
	case "application/json":
		v, err := rawjson.Parse(a.Data)
		if err != nil {
			return mime.Bundle{{Type: "text/plain", Value: jsonText(string(a.Data))}}
		}
		entry.Value = v
	case "text/plain":
		return mime.Bundle{{Type: typ, Value: jsonText(string(a.Data))}}
	default:
		entry.Value = jsonText(string(a.Data))
	}
	return mime.Bundle{entry, plain}
}

// typeOf goes by the extension; "" for what a notebook does not show.
func typeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".svg":
		return "image/svg+xml"
	case ".html", ".htm":
		return "text/html"
	case ".json":
		return "application/json"
	case ".csv", ".txt":
		return "text/plain"
	}
	return ""
}

func sizeOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	b, _ := json.Marshal(n)
	return string(b) + " bytes"
}

// jsonText is a string as JSON.
func jsonText(s string) rawjson.Value {
	return rawjson.AppendString(nil, strings.ToValidUTF8(s, "�"), false)
}
