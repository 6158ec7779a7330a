package jupyterface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// emptyNotebook is a new notebook.
const emptyNotebook = `{
 "cells": [],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

// Clients that ask for a notebook get and give JSON whose texts are whole. In the file they
// are lists of lines, with the indentation and the order of keys of nbformat. Who wants the
// bytes asks for a file.

// readNotebook reads a notebook file for a client.
func readNotebook(data []byte) (map[string]any, error) {
	nb, err := decodeNotebook(data)
	if err != nil {
		return nil, err
	}
	eachText(nb, func(v any) any {
		if lines, ok := v.([]any); ok {
			return joinLines(lines)
		}
		return v
	})
	return nb, nil
}

// writeNotebook makes a notebook file of what a client gives.
func writeNotebook(content []byte) ([]byte, error) {
	nb, err := decodeNotebook(content)
	if err != nil {
		return nil, invalid("the notebook cannot be saved: " + err.Error())
	}
	eachText(nb, func(v any) any {
		if s, ok := v.(string); ok {
			return splitLines(s)
		}
		return v
	})
	dropTransient(nb)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(nb); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func decodeNotebook(data []byte) (nb map[string]any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // numbers keep their spelling
	if err := dec.Decode(&nb); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	version, _ := nb["nbformat"].(json.Number)
	if n, err := version.Int64(); err != nil || n < 4 {
		return nil, errors.New("it is not of nbformat 4")
	}
	return nb, nil
}

// eachText replaces each value of the notebook that is a text in nbformat's schema.
func eachText(nb map[string]any, f func(any) any) {
	for _, c := range list(nb["cells"]) {
		cell := object(c)
		replace(cell, "source", f)
		for _, bundle := range object(cell["attachments"]) {
			eachOf(object(bundle), f)
		}
		for _, o := range list(cell["outputs"]) {
			output := object(o)
			replace(output, "text", f)
			eachOf(object(output["data"]), f)
		}
	}
}

// eachOf replaces the texts of a MIME bundle: pictures and JSON stay.
func eachOf(bundle map[string]any, f func(any) any) {
	for kind := range bundle {
		if strings.HasPrefix(kind, "text/") || kind == "application/javascript" || kind == "image/svg+xml" {
			replace(bundle, kind, f)
		}
	}
}

func replace(m map[string]any, key string, f func(any) any) {
	if v, ok := m[key]; ok {
		m[key] = f(v)
	}
}

// object and list are v, or nothing where it is something else: it is the client's.
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
func list(v any) []any            { l, _ := v.([]any); return l }

func joinLines(lines []any) any {
	var all strings.Builder
	for _, l := range lines {
		s, ok := l.(string)
		if !ok {
			return lines
		}
		all.WriteString(s)
	}
	return all.String()
}

// splitLines is Python's str.splitlines(keepends=True), with which nbformat makes files.
func splitLines(s string) []string {
	lines := []string{}
	for s != "" {
		end := len(s)
		for i, r := range s {
			if !strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) {
				continue
			}
			end = i + len(string(r))
			if r == '\r' && strings.HasPrefix(s[end:], "\n") {
				end++
			}
			break
		}
		lines, s = append(lines, s[:end]), s[end:]
	}
	return lines
}

// dropTransient removes what is said between client and server and is not of the file.
func dropTransient(nb map[string]any) {
	metadata := object(nb["metadata"])
	for _, key := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
		delete(metadata, key)
	}
	for _, c := range list(nb["cells"]) {
		delete(object(object(c)["metadata"]), "trusted")
	}
}
