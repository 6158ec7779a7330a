package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `true`, `false`, `0`, `-1.5e+10`, `"a\"b\\"`, ` [1, {"a":[ ]} , "x"] `,
		`NaN`, `-Infinity`, `{"a": [NaN, Infinity]}`, "\"raw\ttab\"", `{"a":1,"a":2}`, `"\ud83d"`, "\"lone \xff\"",
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
		} else if string(v) != strings.TrimSpace(text) {
			t.Errorf("%.40q came back as %.40q", text, v)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		short  bool
	}{
		{``, 0, true},
		{`  `, 2, true},
		{`{"a"`, 4, true},
		{`{"a":`, 5, true},
		{`{"a":1`, 6, true},
		{`["abc`, 5, true},
		{`[1,]`, 3, false},
		{`{"a":1,}`, 7, false},
		{`{a:1}`, 1, false},
		{`[1 2]`, 3, false},
		{`01`, 1, false},
		{`1.`, 2, true},
		{`tru`, 3, true},
		{`trux`, 0, false},
		{`{} x`, 3, false},
		{"{\n<<<<<<< HEAD\n}", 2, false},
	} {
		_, err := Parse([]byte(c.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: got %v", c.text, err)
			continue
		}
		if syntax.Offset != c.offset || syntax.Short != c.short {
			t.Errorf("%q: got byte %d, short %v", c.text, syntax.Offset, syntax.Short)
		}
	}
	if _, err := Parse([]byte(strings.Repeat("[", MaxDepth+1))); err == nil {
		t.Error("no limit on depth")
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`"plain"`, "plain"},
		{`"a\nb\t\"q\" \\ \/ \u00e9"`, "a\nb\t\"q\" \\ / é"},
		{`"\ud83d\ude00"`, "😀"},
		{`"half\ud83d"`, "half\xed\xa0\xbd"},
		{`"\ude00\ud83d!"`, "\xed\xb8\x80\xed\xa0\xbd!"},
		{`"bad \q \u12"`, `bad \q \u12`},
	} {
		if got, ok := Value(c.raw).Text(); !ok || got != c.want {
			t.Errorf("%s: got %q, want %q", c.raw, got, c.want)
		}
	}
	if _, ok := Value(`12`).Text(); ok {
		t.Error("a number is no text")
	}
}

func TestAppendString(t *testing.T) {
	for _, c := range []struct {
		s, want string
		ascii   bool
	}{
		{"é\n\x01\x7f\"\\", `"é\n\u0001` + "\x7f" + `\"\\"`, false},
		{"é😀", `"\u00e9\ud83d\ude00"`, true},
		{"half\xed\xa0\xbd.", `"half\ud83d."`, false},
		{"lone \xff byte", "\"lone \xff byte\"", false},
	} {
		if got := string(AppendString(nil, c.s, c.ascii)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.s, got, c.want)
		}
	}
}

func TestAccess(t *testing.T) {
	v := Value(`{"a":1,"b":["x",null],"a":2}`)
	if n, ok := v.Get("a").Int(); !ok || n != 2 {
		t.Errorf("the last twin counts, got %d", n)
	}
	if e := v.Get("b").Elements(); len(e) != 2 || e[0].Str() != "x" || e[1].Kind() != Null {
		t.Errorf("elements: %q", e)
	}
	if v.Get("c") != nil || v.Get("b").Get("a") != nil {
		t.Error("what is absent must be nil")
	}
}

// What encoding/json accepts we accept, with the same text; and any string comes back through its quotes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2e3,"x\n",true,null]}`, `"\ud83d\ude00"`, "[\"\xff\"]", `[[[]],{}]`, `{"":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if json.Valid(text) {
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if !bytes.Equal(v, bytes.TrimSpace(text)) {
				t.Fatalf("%q came back as %q", text, v)
			}
		}
		if err != nil {
			return
		}
		if s, ok := v.Text(); ok && utf8.ValidString(s) {
			for _, ascii := range []bool{false, true} {
				if back, _ := Value(AppendString(nil, s, ascii)).Text(); back != s {
					t.Fatalf("%q became %q", s, back)
				}
			}
		}
		v.Members(func(string, Value) {})
		v.Elements()
	})
}
