package render

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func TestBase64(t *testing.T) {
	want := strings.Repeat("any bytes at all\x00\xff", 100)
	text := base64.StdEncoding.EncodeToString([]byte(want))
	half := len(text) / 2
	for name, v := range map[string]string{
		"one string":    `"` + text + `"`,
		"line ends":     `"` + text[:half] + `\n` + text[half:] + `\r\n"`,
		"escaped slash": `"` + strings.ReplaceAll(text, "/", `\/`) + `"`,
		"list":          `["` + text[:half] + `\n", "` + text[half:] + `"]`,
		"empty":         `""`,
		"not a string":  `7`,
		"not in base64": `"###"`,
	} {
		got, err := io.ReadAll(fromBase64(rawjson.Value(v)))
		again, _ := io.ReadAll(iotest.OneByteReader(fromBase64(rawjson.Value(v))))
		switch name {
		case "empty", "not a string":
			if err != nil || len(got) > 0 {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		case "not in base64":
			if err == nil {
				t.Errorf("%s: %q", name, got)
			}
		default:
			if err != nil || string(got) != want || string(again) != want {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		if n := decodedSize(rawjson.Value(v)); string(got) == want && name != "escaped slash" && n/10 != int64(len(want))/10 {
			t.Errorf("%s: its size is %d, not %d", name, n, len(want))
		}
	}
}
