package jupyterface

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/contents"
	"github.com/nbterm/nbterm/fswatch/fswatchtest"
)

// Do makes served a contents.Doer.
func (s *served) Do(ctx context.Context, method, path string, query url.Values, body []byte) (int, []byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	target := (&url.URL{Path: path, RawQuery: query.Encode()}).String()
	status, answer := s.ask(method, target, string(body))
	return status, []byte(answer), nil
}

// TestFiles is the suite of file systems, through our own client.
func TestFiles(t *testing.T) {
	t.Parallel()
	fswatchtest.Run(t, fswatchtest.Options{NoHidden: true, New: func(t *testing.T) (fswatch.FS, fswatch.Path) {
		s := fake(t)
		if err := os.Mkdir(filepath.Join(s.root, "t"), 0o755); err != nil {
			t.Fatal(err)
		}
		return contents.New(s, "the face"), "/t"
	}})
}

func (s *served) put(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) file(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// asNbformat is a notebook as nbformat writes it.
const asNbformat = `{
 "cells": [
  {
   "attachments": {
    "p.svg": {
     "image/svg+xml": [
      "<svg>\n",
      "</svg>"
     ]
    }
   },
   "cell_type": "markdown",
   "id": "a",
   "metadata": {},
   "source": [
    "# é <b>\n",
    "\n",
    "two"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "b",
   "metadata": {
    "x": 1.50
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\r\n",
      "2\n"
     ]
    },
    {
     "data": {
      "application/json": [
       "a\nb"
      ],
      "image/png": "iVBO\niVBO\n",
      "text/plain": [
       "p"
      ]
     },
     "metadata": {},
     "output_type": "display_data"
    }
   ],
   "source": []
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

// TestNotebook: a client gets whole texts, and what it saves is nbformat's file.
func TestNotebook(t *testing.T) {
	s := fake(t)
	s.put("a.ipynb", asNbformat)
	m := s.json("GET", "/api/contents/a.ipynb", "", 200)
	if m["type"] != "notebook" || m["format"] != "json" || m["mimetype"] != nil || m["writable"] != true {
		t.Errorf("%v", m)
	}
	cells := m["content"].(map[string]any)["cells"].([]any)
	first, second := cells[0].(map[string]any), cells[1].(map[string]any)
	outputs := second["outputs"].([]any)
	data := outputs[1].(map[string]any)["data"].(map[string]any)
	if first["source"] != "# é <b>\n\ntwo" || second["source"] != "" || outputs[0].(map[string]any)["text"] != "1\r\n2\n" ||
		data["text/plain"] != "p" || data["image/png"] != "iVBO\niVBO\n" || len(data["application/json"].([]any)) != 1 {
		t.Errorf("%v", m["content"])
	}
	_, text := s.ask("GET", "/api/contents/a.ipynb", "")
	var raw struct{ Content json.RawMessage }
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	marked := strings.Replace(string(raw.Content), `"x":1.50`, `"trusted":true,"x":1.50`, 1)
	m = s.json("PUT", "/api/contents/b.ipynb", `{"type":"notebook","format":"json","content":`+marked+`}`, 201)
	if got := s.file("b.ipynb"); got != asNbformat || m["path"] != "b.ipynb" || m["content"] != nil {
		t.Errorf("%v\n%s", m, got)
	}
	s.json("PUT", "/api/contents/b.ipynb", `{"type":"notebook","format":"json","content":`+string(raw.Content)+`}`, 200)
	for _, bad := range []string{`{"cells":[]}`, `{"nbformat":3}`, `"text"`} {
		s.json("PUT", "/api/contents/b.ipynb", `{"type":"notebook","content":`+bad+`}`, 400)
	}
	s.put("old.ipynb", `{"nbformat":3,"worksheets":[]}`)
	s.json("GET", "/api/contents/old.ipynb", "", 400)
	if m := s.json("GET", "/api/contents/old.ipynb?type=file&hash=1", "", 200); m["content"] != `{"nbformat":3,"worksheets":[]}` || len(m["hash"].(string)) != 64 {
		t.Errorf("%v", m)
	}
}

func TestContentsCalls(t *testing.T) {
	s := fake(t)
	s.put(".hidden", "h")
	s.put("bytes", "\xff")
	s.put("t.txt", "text")
	if err := os.Mkdir(filepath.Join(s.root, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := func(query string) (names string) {
		for _, e := range s.json("GET", "/api/contents"+query, "", 200)["content"].([]any) {
			names += e.(map[string]any)["name"].(string) + ":" + e.(map[string]any)["type"].(string) + " "
		}
		return names
	}
	if got := list("") + list("/?hidden=1"); got != "bytes:file d:directory t.txt:file .hidden:file bytes:file d:directory t.txt:file " {
		t.Error(got)
	}
	if m := s.json("GET", "/api/contents/bytes", "", 200); m["format"] != "base64" || m["content"] != "/w==" {
		t.Errorf("%v", m)
	}
	s.json("GET", "/api/contents/bytes?format=text", "", 400)
	s.json("GET", "/api/contents/d?type=file", "", 400)
	s.json("GET", "/api/contents/t.txt?type=directory", "", 400)
	s.json("GET", "/api/contents/t.txt/below", "", 404)
	for _, want := range []string{"Untitled.ipynb", "Untitled1.ipynb"} {
		if m := s.json("POST", "/api/contents/d", `{"type":"notebook"}`, 201); m["path"] != "d/"+want || m["type"] != "notebook" {
			t.Errorf("%v", m)
		}
	}
	s.json("GET", "/api/contents/d/Untitled.ipynb", "", 200)
	s.json("POST", "/api/contents", `{"type":"directory"}`, 201)
	if m := s.json("POST", "/api/contents/", `{"type":"directory"}`, 201); m["name"] != "Untitled Folder 1" {
		t.Errorf("%v", m)
	}
	if m := s.json("POST", "/api/contents/", `{"type":"file","ext":".py"}`, 201); m["name"] != "untitled.py" {
		t.Errorf("%v", m)
	}
	for _, want := range []string{"t-Copy1.txt", "t-Copy2.txt"} {
		if m := s.json("POST", "/api/contents", `{"copy_from":"/t.txt"}`, 201); m["name"] != want || s.file(want) != "text" {
			t.Errorf("%v", m)
		}
	}
	if m := s.json("PATCH", "/api/contents/t.txt", `{"path":"d/u.txt"}`, 200); m["path"] != "d/u.txt" {
		t.Errorf("%v", m)
	}
	s.json("PATCH", "/api/contents/bytes", `{"path":"d/u.txt"}`, 409)
	s.json("DELETE", "/api/contents/d", "", 400)
	if status, _ := s.ask("DELETE", "/api/contents/d/u.txt", ""); status != 204 {
		t.Error(status)
	}
	s.json("DELETE", "/api/contents/d/u.txt", "", 404)
	s.json("PUT", "/api/contents/no/such/x", `{"type":"file","format":"text","content":"x"}`, 404)
	s.json("PUT", "/api/contents/x", `{"type":"file","format":"text","content":"x","chunk":1}`, 400)
}

// TestNoWayOut: no path of a request leads out of the root.
func TestNoWayOut(t *testing.T) {
	s := fake(t)
	outside := filepath.Join(filepath.Dir(s.root), "outside.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"../outside.txt", "..%2Foutside.txt", "%2e%2e/outside.txt", "d/..%2F..%2Foutside.txt", "%2F" + strings.TrimPrefix(outside, "/")} {
		status, text := s.ask(http.MethodGet, "/api/contents/"+p+"?type=file", "")
		if status == 200 || strings.Contains(text, "secret") {
			t.Errorf("%s: %d %s", p, status, text)
		}
	}
	s.json("POST", "/api/contents", `{"copy_from":"../outside.txt"}`, 404)
	if err := os.Symlink(outside, filepath.Join(s.root, "link")); err != nil {
		t.Skip(err) // a system where that takes a right
	}
	if status, text := s.ask(http.MethodGet, "/api/contents/link", ""); status == 200 || strings.Contains(text, "secret") {
		t.Errorf("by a link: %d %s", status, text)
	}
	s.put("in.txt", "x")
	s.json("PATCH", "/api/contents/in.txt", `{"path":"../../moved.txt"}`, 200)
	if s.file("moved.txt") != "x" {
		t.Error("it is not in the root")
	}
}

func TestCheckpoints(t *testing.T) {
	s := fake(t)
	s.put("a.ipynb", "first")
	if m := s.json("POST", "/api/contents/a.ipynb/checkpoints", "", 201); m["id"] != "checkpoint" || s.file(".ipynb_checkpoints/a-checkpoint.ipynb") != "first" {
		t.Errorf("%v", m)
	}
	s.put("a.ipynb", "second")
	if _, all := s.ask("GET", "/api/contents/a.ipynb/checkpoints", ""); !strings.Contains(all, `"id":"checkpoint"`) {
		t.Error(all)
	}
	s.json("POST", "/api/contents/a.ipynb/checkpoints/other", "", 404)
	if status, _ := s.ask("POST", "/api/contents/a.ipynb/checkpoints/checkpoint", ""); status != 204 || s.file("a.ipynb") != "first" {
		t.Error(status, s.file("a.ipynb"))
	}
	if status, _ := s.ask("DELETE", "/api/contents/a.ipynb/checkpoints/checkpoint", ""); status != 204 {
		t.Error(status)
	}
	if _, all := s.ask("GET", "/api/contents/a.ipynb/checkpoints", ""); strings.TrimSpace(all) != "[]" {
		t.Error(all)
	}
}
