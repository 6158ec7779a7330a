package jupyter

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func mustCodec(t testing.TB, scheme, key string) *codec {
	t.Helper()
	c, err := newCodec(scheme, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCodecRoundTrip(t *testing.T) {
	for _, c := range []struct{ scheme, key string }{
		{"hmac-sha256", "key"}, {"", "key"}, {"hmac-sha512", "key"}, {"hmac-md5", "key"}, {"hmac-sha3_256", "k"}, {"hmac-sha256", ""},
	} {
		codec := mustCodec(t, c.scheme, c.key)
		sent := Message{
			Header: Header{ID: `i"d`, Type: "t", Session: "s"}, Parent: Header{ID: "p", Type: "u", Session: "q"},
			Content: rawjson.Value(`{"a":[NaN,"\ud83d"]}`), Buffers: [][]byte{[]byte("raw")},
		}
		frames := append([][]byte{[]byte("identity"), []byte("another")}, codec.encode(sent)...)
		got, err := codec.decode(frames)
		if err != nil {
			t.Fatal(err)
		}
		if got.Header != sent.Header || got.Parent != sent.Parent || !bytes.Equal(got.Content, sent.Content) ||
			len(got.Buffers) != 1 || string(got.Buffers[0]) != "raw" || string(got.Metadata) != "{}" {
			t.Errorf("%v: %+v", c, got)
		}
	}
}

// The signature was computed by Python's hmac over these frames.
func TestCodecSignature(t *testing.T) {
	codec := mustCodec(t, "hmac-sha256", "secret")
	frames := [][]byte{
		[]byte(delimiter), []byte("5fb9b869b452e00fe466f5bdd82c77f9ff2a59cefda6d693749e656412fe222f"),
		[]byte(`{"msg_id":"1","msg_type":"status","session":"s"}`), []byte(`{}`), []byte(`{}`), []byte(`{"execution_state": "idle"}`),
	}
	if _, err := codec.decode(frames); err != nil {
		t.Error(err)
	}
	frames[5] = []byte(`{"execution_state":"idle"}`) // the same JSON, other bytes
	if _, err := codec.decode(frames); !errors.Is(err, errSignature) {
		t.Errorf("changed content: %v", err)
	}
}

func TestCodecRefuses(t *testing.T) {
	codec := mustCodec(t, "", "")
	good := codec.encode(Message{Header: Header{ID: "1", Type: "t"}})
	change := func(at int, text string) [][]byte {
		frames := append([][]byte{}, good...)
		frames[at] = []byte(text)
		return frames
	}
	for name, frames := range map[string][][]byte{
		"nothing": nil, "no delimiter": good[1:], "cut off": good[:5], "header": change(2, `{"msg_id"`), "no type": change(2, `{}`),
		"parent": change(3, `x`), "metadata": change(4, ``), "content": change(5, `{} {}`), "depth": change(5, strings.Repeat("[", 1<<20)),
	} {
		if m, err := codec.decode(frames); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for _, scheme := range []string{"hmac-whirlpool", "sha256", "none"} {
		if _, err := newCodec(scheme, "k"); !errors.Is(err, kernelclient.Unsupported) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a\n": `"a\n"`, "é😀": `"\u00e9\ud83d\ude00"`, "half\xed\xa0\xbd": `"half\ud83d"`, "bad\xffé": "\"bad\ufffd\\u00e9\"",
	} {
		if got := string(quote(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestConnectionFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.json")
	want := Connection{"tcp", "127.0.0.1", 1, 2, 3, 4, 5, "key", "hmac-sha256", "python3"}
	if err := want.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := want.WriteFile(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseConnection(data); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	for text, kind := range map[string]kernelclient.Kind{
		`{"ip":"x","shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"curve_publickey":"k"}`: kernelclient.Unsupported,
		`{"ip":"x","shell_port":1,"iopub_port":2,"stdin_port":3}`:                                        kernelclient.Invalid,
		`{"transport":"inproc","ip":"x"}`:                                                                kernelclient.Invalid, `{}`: kernelclient.Invalid, `[]`: kernelclient.Invalid, `{"ip`: kernelclient.Invalid,
	} {
		if _, err := ParseConnection([]byte(text)); !errors.Is(err, kind) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for c, want := range map[Connection]string{
		{Transport: "ipc", IP: "/run/k"}:   "ipc:///run/k-7",
		{Transport: "tcp", IP: "0.0.0.0"}:  "tcp://127.0.0.1:7",
		{Transport: "tcp", IP: "10.0.0.1"}: "tcp://10.0.0.1:7",
	} {
		if got := c.endpoint(7); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"msg_id":"1","msg_type":"stream"}`), []byte(`{}`), []byte(`{"name":"stdout","text":["a",1]}`))
	f.Add([]byte(`{"msg_type":"execute_reply"}`), []byte(`{"msg_id":7}`), []byte(`{"payload":[{"source":"page"},3],"traceback":"x"}`))
	f.Add([]byte(`{"msg_type":"display_data"}`), []byte(`[]`), []byte(`{"data":{"a":NaN},"transient":null}`))
	codec := mustCodec(f, "", "")
	f.Fuzz(func(t *testing.T, header, parent, content []byte) {
		m, err := codec.decode([][]byte{[]byte(delimiter), nil, header, parent, []byte("{}"), content})
		if err == nil {
			toEvent(m.Header.Type, m.Content)
			payloadEvents(m.Content)
			errorEvent(m.Content)
		}
		_, _ = decodeJSON(content, noChannel)
		_, _ = ParseConnection(content)
	})
}
