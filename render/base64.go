package render

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// fromBase64 reads what a JSON value in base64 stands for. A string is not copied: pictures
// may be large, and often only their header is read.
func fromBase64(v rawjson.Value) io.Reader {
	var text io.Reader
	if body, ok := bodyOf(v); ok {
		text = &unescaper{body}
	} else {
		text = bytes.NewReader([]byte(mime.JoinText(v)))
	}
	return base64.NewDecoder(base64.StdEncoding, text)
}

// decodedSize is how many bytes that are.
func decodedSize(v rawjson.Value) int64 {
	body, ok := bodyOf(v)
	if !ok {
		body = []byte(mime.JoinText(v))
	}
	// What is escaped in base64 is a line end, or a needless \/ that nobody writes.
	n := len(body) - 2*bytes.Count(body, []byte(`\`)) - bytes.Count(body, []byte("\n")) - bytes.Count(body, []byte("="))
	return int64(n) * 3 / 4
}

// bodyOf is what stands between a string's quotes.
func bodyOf(v rawjson.Value) ([]byte, bool) {
	if v.Kind() != rawjson.String || len(v) < 2 {
		return nil, false
	}
	return v[1 : len(v)-1], true
}

// unescaper reads the body of a JSON string as far as base64 needs it.
type unescaper struct{ rest []byte }

func (u *unescaper) Read(p []byte) (int, error) {
	if len(u.rest) == 0 {
		return 0, io.EOF
	}
	if u.rest[0] == '\\' && len(u.rest) > 1 && len(p) > 0 {
		p[0] = u.rest[1]
		switch p[0] {
		case 'n', 'r', 't':
			p[0] = '\n' // which base64 passes over
		}
		u.rest = u.rest[2:]
		return 1, nil
	}
	end := bytes.IndexByte(u.rest[1:], '\\') + 1
	if end == 0 {
		end = len(u.rest)
	}
	n := copy(p, u.rest[:end])
	u.rest = u.rest[n:]
	return n, nil
}
