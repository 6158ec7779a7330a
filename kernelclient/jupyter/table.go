package jupyter

import (
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// toEvent is the one table from message types to events ("Messages on the IOPub channel").
// It returns nil for messages that drive the conversation itself and say nothing to a
// follower. Content is foreign: what is missing or of the wrong kind is empty.
func toEvent(typ string, content rawjson.Value) event.Body {
	switch typ {
	case "stream":
		return streamEvent(content)
	case "display_data", "update_display_data", "execute_result":
		return dataEvent(typ, content)
	case "clear_output":
		return event.Clear{Wait: content.Get("wait").True()}
	case "error":
		return errorEvent(content)
	case "execute_input":
		count, _ := content.Get("execution_count").Int()
		return event.Started{Count: count}
	case "status", "comm_open", "comm_msg", "comm_close", "iopub_welcome", "debug_event",
		"execute_reply", "kernel_info_reply", "interrupt_reply", "shutdown_reply", "input_request":
		return nil
	}
	return event.Unknown{Type: typ, Content: content}
}

func streamEvent(content rawjson.Value) event.Body {
	var s event.Stream
	content.Members(func(name string, v rawjson.Value) {
		switch name {
		case "name":
			s.Name = v.Str()
		case "text":
			s.Text = mime.JoinText(v)
		}
	})
	if s.Name != "stderr" {
		s.Name = "stdout"
	}
	if s.Text == "" {
		return nil
	}
	return s
}

func dataEvent(typ string, content rawjson.Value) event.Body {
	var count int
	var id string
	var data mime.Bundle
	var metadata rawjson.Value
	content.Members(func(name string, v rawjson.Value) {
		switch name {
		case "execution_count":
			count, _ = v.Int()
		case "data":
			data = mime.ReadBundle(v)
		case "metadata":
			metadata = v
		case "transient":
			id = v.Get("display_id").Str()
		}
	})
	switch {
	case typ == "execute_result":
		return event.Result{Count: count, Data: data, Metadata: metadata}
	case typ == "display_data":
		return event.Display{ID: id, Data: data, Metadata: metadata}
	case id == "":
		return nil // an update of nothing
	}
	return event.Update{ID: id, Data: data, Metadata: metadata}
}

// errorEvent reads an error message, or an execute_reply of status error, which says the same.
func errorEvent(content rawjson.Value) event.Body {
	var e event.Error
	content.Members(func(name string, v rawjson.Value) {
		switch name {
		case "ename":
			e.Name = v.Str()
		case "evalue":
			e.Value = v.Str()
		case "traceback":
			if v.Kind() == rawjson.String {
				e.Traceback = []string{v.Str()}
			}
			for _, line := range v.Elements() {
				e.Traceback = append(e.Traceback, line.Str())
			}
		}
	})
	return e
}

// payloadEvents are the instructions of an execute_reply, in order.
func payloadEvents(content rawjson.Value) []event.Payload {
	var out []event.Payload
	for _, v := range content.Get("payload").Elements() {
		if source := v.Get("source").Str(); source != "" {
			out = append(out, event.Payload{Source: source, Data: v})
		}
	}
	return out
}
