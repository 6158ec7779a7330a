package contents

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/fswatchtest"
)

// server is a Jupyter server's contents in a folder of the test, as a Doer.
type server struct{ root string }

func (s server) Do(ctx context.Context, method, path string, query url.Values, body []byte) (int, []byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	rest, ok := strings.CutPrefix(path, "/api/contents")
	if !ok {
		return 0, nil, fmt.Errorf("asked for %s", path)
	}
	at := filepath.Join(s.root, filepath.FromSlash(rest))
	var err error
	switch method {
	case http.MethodGet:
		return s.get(at, rest, query)
	case http.MethodPut:
		err = put(at, body)
	case http.MethodPatch:
		var in struct{ Path string }
		if err = json.Unmarshal(body, &in); err == nil {
			rest = in.Path
			if _, there := os.Lstat(filepath.Join(s.root, in.Path)); there == nil {
				return http.StatusConflict, []byte(`{"message":"File already exists"}`), nil
			}
			err = os.Rename(at, filepath.Join(s.root, in.Path))
			at = filepath.Join(s.root, in.Path)
		}
	case http.MethodDelete:
		if err = os.Remove(at); err == nil {
			return http.StatusNoContent, nil, nil
		}
	}
	if err != nil {
		return statusOf(err), []byte(`{"message":"it could not be done"}`), nil
	}
	return s.get(at, rest, url.Values{"content": {"0"}})
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

func put(at string, body []byte) error {
	var in struct{ Type, Content string }
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	if in.Type == "directory" {
		return os.Mkdir(at, 0o755)
	}
	data, err := base64.StdEncoding.DecodeString(in.Content)
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(at), ".tmp-"+filepath.Base(at)[:min(20, len(filepath.Base(at)))])
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, at)
}

func (s server) get(at, rest string, query url.Values) (int, []byte, error) {
	info, err := os.Stat(at)
	if err != nil { // below a file too: the server says the same
		return http.StatusNotFound, []byte(`{"message":"No such file or directory"}`), nil
	}
	m := modelOf(info, rest)
	if query.Get("content") == "0" {
		return answer(m)
	}
	if want := query.Get("type"); want == "directory" != info.IsDir() {
		return http.StatusBadRequest, []byte(`{"message":"is not a ` + want + `"}`), nil
	}
	if info.IsDir() {
		entries, _ := os.ReadDir(at)
		all := []map[string]any{}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), ".") {
				all = append(all, modelOf(info, rest+"/"+e.Name()))
			}
		}
		m["content"] = all
		return answer(m)
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return statusOf(err), nil, nil
	}
	m["content"], m["format"] = base64.StdEncoding.EncodeToString(data), "base64"
	return answer(m)
}

func modelOf(info fs.FileInfo, rest string) map[string]any {
	m := map[string]any{"name": info.Name(), "path": strings.Trim(rest, "/"), "type": "file", "last_modified": info.ModTime().UTC(), "size": info.Size()}
	if info.IsDir() {
		m["type"] = "directory"
		delete(m, "size")
	}
	return m
}

func answer(m map[string]any) (int, []byte, error) {
	data, err := json.Marshal(m)
	return http.StatusOK, data, err
}

func TestConformance(t *testing.T) {
	fswatchtest.Run(t, fswatchtest.Options{NoHidden: true, New: func(t *testing.T) (fswatch.FS, fswatch.Path) {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "t"), 0o755); err != nil {
			t.Fatal(err)
		}
		return New(server{root}, "the server"), "/t"
	}})
}

// answers is a Doer that always says the same.
type answers struct {
	status int
	body   string
	err    error
}

func (a answers) Do(context.Context, string, string, url.Values, []byte) (int, []byte, error) {
	return a.status, []byte(a.body), a.err
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		answers
		kind fswatch.Kind
		word string
	}{
		{answers{500, `{"message": "disk on fire"}`, nil}, fswatch.Failed, "disk on fire"},
		{answers{502, `<html>`, nil}, fswatch.Disconnect, "502"},
		{answers{403, `{"message": "Permission denied"}`, nil}, fswatch.Permission, "Permission denied"},
		{answers{401, "", errors.New("the server does not take the token")}, fswatch.Unauthenticated, "does not take the token"},
		{answers{0, "", errors.New("the server cannot be reached")}, fswatch.Disconnect, "cannot be reached"},
		{answers{200, `<html>`, nil}, fswatch.Protocol, "cannot be read"},
	} {
		if _, err := New(c.answers, "x").Stat(t.Context(), "/a"); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%+v: %v", c.answers, err)
		}
	}
}
