package event

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nbterm/nbterm/notebook/mime"
)

func TestAppendJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	const head = `{"seq":7,"time":"2026-01-02T03:04:05.000006Z","exec":"x",`
	data := mime.Bundle{{Type: "text/plain", Value: []byte(`"1"`)}, {Type: "application/json", Value: []byte(`{"a":[1]}`)}}
	for _, c := range []struct {
		body Body
		want string
	}{
		{Queued{Cell: "k", Code: "1+1\n"}, `"type":"queued","cell":"k","code":"1+1\n"}`},
		{Accepted{}, `"type":"accepted"}`},
		{Started{3}, `"type":"started","execution_count":3}`},
		{Stream{"stderr", "half\xed\xa0\xbd"}, `"type":"stream","name":"stderr","text":"half\ud83d"}`},
		{Result{3, data, nil}, `"type":"result","execution_count":3,"data":{"text/plain":"1","application/json":{"a":[1]}},"metadata":{}}`},
		{Display{"d", data[:1], []byte(`{"m":1}`)}, `"type":"display","display_id":"d","data":{"text/plain":"1"},"metadata":{"m":1}}`},
		{Update{"d", nil, nil}, `"type":"update","display_id":"d","data":{},"metadata":{}}`},
		{Clear{true}, `"type":"clear","wait":true}`},
		{Error{"E", "v", []string{"a", "b"}}, `"type":"error","name":"E","value":"v","traceback":["a","b"]}`},
		{InputRequest{"i", "who? ", true}, `"type":"input_request","input":"i","prompt":"who? ","password":true}`},
		{InputClosed{"i"}, `"type":"input_closed","input":"i"}`},
		{Payload{"page", []byte(`{"source":"page"}`)}, `"type":"payload","source":"page","payload":{"source":"page"}}`},
		{Ended{Died, "SIGKILL", 2}, `"type":"ended","reason":"died","detail":"SIGKILL","execution_count":2}`},
		{State{Dead, 2, "d"}, `"type":"state","state":"dead","generation":2,"detail":"d"}`},
		{Gap{"lost"}, `"type":"gap","detail":"lost"}`},
		{Joined{"e"}, `"type":"joined","epoch":"e"}`},
		{Unknown{"odd", []byte(`{}`)}, `"type":"unknown","message":"odd","content":{}}`},
	} {
		got := string(Event{Seq: 7, Time: at, Exec: "x", Body: c.body}.AppendJSON(nil))
		if got != head+c.want {
			t.Errorf("%T:\ngot  %s\nwant %s", c.body, got, head+c.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%T: no JSON", c.body)
		}
	}
	if got := string(Event{Late: true, Body: Accepted{}}.AppendJSON(nil)); got != `{"seq":0,"time":"0001-01-01T00:00:00Z","late":true,"type":"accepted"}` {
		t.Error(got)
	}
}
