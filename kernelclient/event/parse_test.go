package event

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/nbterm/nbterm/notebook/mime"
)

func bodies() []Body {
	data := mime.Bundle{{Type: "text/plain", Value: []byte(`"1\ud83d"`)}, {Type: "application/json", Value: []byte(`{"a":[1,NaN]}`)}}
	return []Body{
		Queued{Cell: "k", Code: "1+1\n\x1b[0m\x00"},
		Queued{Cell: "k", Code: "x", Language: "bash", Group: "g", GoOn: true, AllowStdin: true, Timeout: 3 * time.Second, Silence: 1500 * time.Millisecond},
		Accepted{},
		Started{3},
		Started{},
		Stream{"stderr", "half\xed\xa0\xbd and \xff, \\ud83d \"q\" \u2028"},
		Result{3, data, []byte(`{"m":1}`)},
		Result{},
		Display{"d", data[:1], []byte(`{"m":1}`)},
		Display{"", data, nil},
		Update{"d", nil, nil},
		Clear{true},
		Clear{},
		Error{"E", "v", []string{"a", "b\n"}},
		Error{},
		InputRequest{"i", "who? ", true},
		InputClosed{"i"},
		Payload{"page", []byte(`{"source":"page"}`)},
		Ended{Died, "SIGKILL", 2},
		State{Dead, 2, "d"},
		Gap{"lost"},
		Joined{"e"},
		Unknown{"odd", []byte(`[1]`)},
	}
}

func TestParseIsTheInverse(t *testing.T) {
	for i, body := range bodies() {
		want := Event{Seq: uint64(i), Time: time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC), Exec: "x", Late: i%2 == 0, Body: body}
		line := want.AppendJSON(nil)
		if bytes.ContainsAny(line, "\n\r") {
			t.Errorf("%T is not one line: %q", body, line)
		}
		got, err := ParseJSON(line)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%T came back as %+v, %v\n%s", body, got, err, line)
		}
	}
}

// A sender may have spread its values over lines; an event is one all the same.
func TestValuesOfManyLines(t *testing.T) {
	e := Event{Body: Display{Data: mime.Bundle{{Type: "application/json", Value: []byte("{\n \"a\":\r\n 1}")}}}}
	got, err := ParseJSON(e.AppendJSON(nil))
	if err != nil || string(got.Body.(Display).Data[0].Value) != `{  "a":   1}` {
		t.Errorf("%+v %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{
		"", "{", "[]", "null", `{"seq":1}`, `{"seq":-1,"time":"2026-01-02T03:04:05Z","type":"accepted"}`,
		`{"seq":1,"time":"now","type":"accepted"}`, `{"seq":1,"time":"2026-01-02T03:04:05Z","type":"accepted"}{}`,
	} {
		if e, err := ParseJSON([]byte(line)); err == nil || errors.Is(err, ErrForeign) {
			t.Errorf("%q: %+v, %v", line, e, err)
		}
	}
	e, err := ParseJSON([]byte(`{"seq":9,"time":"2026-01-02T03:04:05Z","type":"from the future","x":1}`))
	if !errors.Is(err, ErrForeign) || e.Seq != 9 {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = ParseJSON([]byte(`{"seq":9,"time":"2026-01-02T03:04:05Z","new":{},"type":"gap","detail":"d"}`))
	if err != nil || e.Body != (Gap{"d"}) {
		t.Errorf("a field that is new: %+v, %v", e, err)
	}
}

// What was read once is written and read again alike.
func FuzzParseJSON(f *testing.F) {
	for _, body := range bodies() {
		f.Add(Event{Seq: 1, Time: time.Unix(1, 2), Exec: "x", Body: body}.AppendJSON(nil))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ParseJSON(line)
		if err != nil {
			return
		}
		out := e.AppendJSON(nil)
		if bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("not one line: %q", out)
		}
		again, err := ParseJSON(out)
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if twice := again.AppendJSON(nil); !bytes.Equal(out, twice) {
			t.Fatalf("%q\n%q", out, twice)
		}
	})
}
