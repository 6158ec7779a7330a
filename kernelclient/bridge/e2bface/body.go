package e2bface

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// complaint is what is wrong with a body, as the genuine server says it.
type complaint struct {
	Type  string          `json:"type"`
	Loc   []any           `json:"loc"`
	Msg   string          `json:"msg"`
	Input json.RawMessage `json:"input"`
	Ctx   map[string]any  `json:"ctx,omitempty"`
}

var nothing = json.RawMessage("null")

// field reads one member of a body.
type field func(whole json.RawMessage, members map[string]json.RawMessage) []complaint

func notText(raw json.RawMessage, loc ...any) complaint {
	return complaint{Type: "string_type", Loc: loc, Msg: "Input should be a valid string", Input: raw}
}

func missing(whole json.RawMessage, loc ...any) complaint {
	return complaint{Type: "missing", Loc: loc, Msg: "Field required", Input: whole}
}

func textField(name string, to *string, needed bool) field {
	return func(whole json.RawMessage, members map[string]json.RawMessage) []complaint {
		raw, ok := members[name]
		switch {
		case !ok && needed:
			return []complaint{missing(whole, "body", name)}
		case !ok || !needed && bytes.Equal(raw, nothing):
			return nil
		case raw[0] != '"' || json.Unmarshal(raw, to) != nil:
			return []complaint{notText(raw, "body", name)}
		}
		return nil
	}
}

func mapField(name string, to *map[string]string) field {
	return func(_ json.RawMessage, members map[string]json.RawMessage) (wrong []complaint) {
		raw, ok := members[name]
		if !ok || bytes.Equal(raw, nothing) {
			return nil
		}
		var values map[string]json.RawMessage
		if json.Unmarshal(raw, &values) != nil {
			return []complaint{{Type: "dict_type", Loc: []any{"body", name}, Msg: "Input should be a valid dictionary", Input: raw}}
		}
		*to = map[string]string{}
		for _, k := range slices.Sorted(maps.Keys(values)) {
			var text string
			if values[k][0] != '"' || json.Unmarshal(values[k], &text) != nil {
				wrong = append(wrong, notText(values[k], "body", name, k))
				continue
			}
			(*to)[k] = text
		}
		return wrong
	}
}

// readBody reads a call's object, or says what is wrong with it. It reads to the end: only
// then the server notices that a client leaves.
func readBody(w http.ResponseWriter, r *http.Request, fields ...field) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		plainText(w, http.StatusRequestEntityTooLarge, "The request is too large")
		return false
	case err != nil:
		plainText(w, http.StatusBadRequest, "The request could not be read")
		return false
	}
	wrong := complaintsOf(bytes.TrimSpace(data), fields)
	if len(wrong) == 0 {
		return true
	}
	body, err := wire.Encode(struct {
		Detail []complaint `json:"detail"`
	}{wrong})
	if err != nil {
		body = []byte(`{"detail":[]}`)
	}
	reply(w, http.StatusUnprocessableEntity, jsonType, string(body))
	return false
}

func complaintsOf(data json.RawMessage, fields []field) (wrong []complaint) {
	if len(data) == 0 {
		return []complaint{missing(nothing, "body")}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return []complaint{{
				Type: "json_invalid", Loc: []any{"body", syntax.Offset - 1}, Msg: "JSON decode error",
				Input: json.RawMessage("{}"), Ctx: map[string]any{"error": syntax.Error()},
			}}
		}
		return []complaint{{
			Type: "model_attributes_type", Loc: []any{"body"}, Input: data,
			Msg: "Input should be a valid dictionary or object to extract fields from",
		}}
	}
	for _, read := range fields {
		wrong = append(wrong, read(data, members)...)
	}
	return wrong
}
