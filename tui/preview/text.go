package preview

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// decode makes text of bytes: UTF-8, or UTF-16 with a mark at its start. ok is false where
// they are none. Both ends of a large file stand together, with a line between them.
func decode(p parts) (text string, ok bool) {
	head := p.head
	if rest, is := bytes.CutPrefix(head, []byte("\xff\xfe")); is {
		return lines(fromUTF16(rest, binary.LittleEndian)), p.whole()
	}
	if rest, is := bytes.CutPrefix(head, []byte("\xfe\xff")); is {
		return lines(fromUTF16(rest, binary.BigEndian)), p.whole()
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if !textual(head) || !textual(p.tail) {
		return "", false
	}
	text = string(head)
	if p.whole() {
		return lines(text), true
	}
	if cut := strings.LastIndexByte(text, '\n'); cut >= 0 {
		text = text[:cut+1]
	}
	tail := string(p.tail)
	if cut := strings.IndexByte(tail, '\n'); cut >= 0 {
		tail = tail[cut+1:]
	}
	return lines(fmt.Sprintf("%s… %d bytes are not shown …\n%s", text, p.size-int64(len(text)+len(tail)), tail)), true
}

func fromUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// lines makes line ends one character, and bad bytes visible.
func lines(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "�")
}

// textual tells whether bytes look like text: no NUL, and hardly anything that is no UTF-8.
// Single bytes may be bad, as in logs of many sources.
func textual(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	bad := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		i += n
	}
	return bad*10 <= len(b)
}

// pictureType is the MIME type of a picture that can be drawn, "" for all else.
func pictureType(head []byte) string {
	for magic, name := range map[string]string{"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff": "image/jpeg", "GIF87a": "image/gif", "GIF89a": "image/gif"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return name
		}
	}
	return ""
}

// picture shows a picture as outputs draw it. One that is too large to be read in whole is
// named.
func picture(p parts, mimeType string) Preview {
	what := strings.ToUpper(strings.TrimPrefix(mimeType, "image/"))
	if c, _, err := image.DecodeConfig(bytes.NewReader(p.head)); err == nil {
		what += fmt.Sprintf(" picture, %d×%d", c.Width, c.Height)
	}
	if !p.whole() {
		return Preview{What: what, Text: "The picture is larger than a preview reads."}
	}
	value, _ := json.Marshal(base64.StdEncoding.EncodeToString(p.head)) // a string can always be written
	return Preview{What: what, bundle: mime.Bundle{{Type: mimeType, Value: rawjson.Value(value)}}}
}

func jsonTree(text string) (Preview, bool) {
	if !json.Valid([]byte(text)) {
		return Preview{}, false // shown as it is
	}
	return Preview{What: "JSON", bundle: mime.Bundle{{Type: "application/json", Value: rawjson.Value(strings.TrimSpace(text))}}}, true
}

const (
	tableRows    = 200
	tableColumns = 60
)

// csvTable shows the head of a table of separated values. ok is false where it is none.
func csvTable(text, ext string, whole bool) (v Preview, ok bool) {
	first, _, _ := strings.Cut(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator(first, ext), true, -1, true
	var b strings.Builder
	b.WriteString("<table>")
	rows, columns, more := 0, 0, false
	for {
		record, err := r.Read()
		if err != nil {
			more = more || !whole
			break
		}
		if rows > tableRows {
			more = true
			break
		}
		columns = max(columns, len(record))
		tag := "td"
		if rows == 0 {
			tag = "th"
			b.WriteString("<thead>")
		}
		b.WriteString("<tr>")
		for _, field := range record[:min(len(record), tableColumns)] {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(field), tag)
		}
		b.WriteString("</tr>")
		if rows == 0 {
			b.WriteString("</thead><tbody>")
		}
		rows++
	}
	b.WriteString("</tbody></table>")
	if rows == 0 || columns < 2 && rows > 1 && strings.ContainsAny(first, ",;\t") {
		return Preview{}, false
	}
	what := fmt.Sprintf("%d rows, %d columns", rows-1, columns)
	if more {
		what = fmt.Sprintf("the first %d rows, %d columns", rows-1, columns)
	}
	value, err := json.Marshal(b.String())
	if err != nil {
		return Preview{}, false
	}
	return Preview{What: what, bundle: mime.Bundle{{Type: "text/html", Value: rawjson.Value(value)}}}, true
}

// separator is the one that the first line has most of.
func separator(first, ext string) rune {
	if ext != "csv" {
		return '\t'
	}
	return slices.MaxFunc([]rune{'|', '\t', ';', ','}, func(a, b rune) int {
		return strings.Count(first, string(a)) - strings.Count(first, string(b))
	})
}
