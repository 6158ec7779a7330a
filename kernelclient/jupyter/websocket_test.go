package jupyter

import (
	"reflect"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

func TestWebsocketForms(t *testing.T) {
	plain := Message{
		Channel: Stdin, Header: Header{ID: "1", Type: "input_reply", Session: "s"}, Parent: Header{ID: "0", Type: "input_request", Session: "k"},
		Metadata: rawjson.Value("{}"), Content: rawjson.Value(`{"value":"ä"}`), Buffers: [][]byte{},
	}
	buffered := plain
	buffered.Buffers = [][]byte{{1, 2, 3}, {}, {4}}
	for _, protocol := range []string{"", WebsocketV1} {
		for _, m := range []Message{plain, buffered} {
			data, isBinary := EncodeWebsocket(m, protocol)
			got, err := DecodeWebsocket(data, isBinary, protocol)
			if err != nil || len(got.Buffers) != len(m.Buffers) {
				t.Fatalf("%q: %v, %d buffers", protocol, err, len(got.Buffers))
			}
			for i, b := range got.Buffers {
				if string(b) != string(m.Buffers[i]) {
					t.Errorf("%q: buffer %d is %q", protocol, i, b)
				}
			}
			if isBinary && protocol == "" {
				if as, err := DecodeWebsocket(data, false, protocol); err != nil || len(as.Buffers) != len(m.Buffers) {
					t.Errorf("marked as text it is %+v, %v", as, err)
				}
			}
			got.Buffers, got.WholeHeader, got.WholeParent = m.Buffers, nil, nil // TestWholeHeaders
			if !reflect.DeepEqual(got, m) {
				t.Errorf("%q:\ngot  %+v\nwant %+v", protocol, got, m)
			}
			for cut := range data { // half of a message is refused, not believed
				if half, err := DecodeWebsocket(data[:cut], isBinary, protocol); err == nil && len(m.Buffers) == 0 {
					t.Errorf("%q: %d bytes of it were read as %+v", protocol, cut, half)
				}
			}
		}
	}
}

func FuzzDecodeWebsocket(f *testing.F) {
	m := Message{Channel: IOPub, Header: Header{ID: "1", Type: "stream"}, Content: rawjson.Value(`{}`), Buffers: [][]byte{{1}}}
	for _, protocol := range []string{"", WebsocketV1} {
		data, isBinary := EncodeWebsocket(m, protocol)
		f.Add(data, isBinary, protocol == WebsocketV1)
	}
	f.Fuzz(func(t *testing.T, data []byte, isBinary, v1 bool) {
		protocol := ""
		if v1 {
			protocol = WebsocketV1
		}
		if got, err := DecodeWebsocket(data, isBinary, protocol); err == nil && got.Header.Type == "" {
			t.Errorf("a message without a type: %+v", got)
		}
	})
}

// TestWholeHeaders: who passes a message on keeps what its headers have beyond our own.
func TestWholeHeaders(t *testing.T) {
	const header, parent = `{"msg_id":"1","msg_type":"comm_msg","username":"ü","subshell_id":"s"}`, `{"msg_id":"0","date":"then"}`
	c, err := newCodec("", "key")
	if err != nil {
		t.Fatal(err)
	}
	m := Message{Channel: Shell, WholeHeader: []byte(header), WholeParent: []byte(parent)}
	passed, err := c.decode(c.encode(m))
	passed.Channel = m.Channel
	for _, protocol := range []string{"", WebsocketV1} {
		if err != nil || string(passed.WholeHeader) != header || string(passed.WholeParent) != parent || passed.Header.Type != "comm_msg" || passed.Parent.ID != "0" {
			t.Fatalf("%+v, %v", passed, err)
		}
		data, isBinary := EncodeWebsocket(passed, protocol)
		passed, err = DecodeWebsocket(data, isBinary, protocol)
	}
	if string(passed.WholeHeader) != header || string(passed.WholeParent) != parent || err != nil {
		t.Errorf("%+v, %v", passed, err)
	}
}

// TestNoChannel: the client of gateways in jupyter_server names none, and means shell.
func TestNoChannel(t *testing.T) {
	m, err := DecodeWebsocket([]byte(`{"header":{"msg_id":"1","msg_type":"kernel_info_request","date":1.5},"content":{}}`), false, "")
	if err != nil || m.Channel != Shell || m.Header.ID != "1" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err = DecodeWebsocket([]byte(`{"channel":"hb","header":{"msg_id":"1","msg_type":"x"}}`), false, ""); err == nil {
		t.Errorf("%+v", m)
	}
}
