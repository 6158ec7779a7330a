package envd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

func files(q ...string) string {
	v := url.Values{}
	for i := 0; i < len(q); i += 2 {
		v.Add(q[i], q[i+1])
	}
	return "/files?" + v.Encode()
}

func TestReading(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	must(t, os.Symlink("self", d+"/self"))
	must(t, os.Symlink("/etc/passwd", d+"/out"))
	mkfifo(t, d+"/pipe")
	hello := d + "/hello.txt"
	for _, c := range []struct {
		name, target string
		headers      []string
		status       int
		body         string
	}{
		{"whole", files("path", hello), nil, 200, "hello world\n"},
		{"link", files("path", d+"/link-file"), nil, 200, "hello world\n"},
		{"home", files("path", "~/demo/hello.txt", "username", "user"), nil, 200, "hello world\n"},
		{"head", files("path", hello), []string{"Range", "bytes=0-4"}, 206, "hello"},
		{"tail", files("path", hello), []string{"Range", "bytes=-3"}, 206, "ld\n"},
		{"beyond", files("path", hello), []string{"Range", "bytes=100-"}, 416, ""},
		{"lines", files("path", hello), []string{"Range", "lines=1"}, 416, ""},
		{"range of nothing", files("path", d+"/empty.txt"), []string{"Range", "bytes=0-4"}, 200, ""},
		{"gzip of nothing", files("path", d+"/empty.txt"), []string{"Accept-Encoding", "gzip"}, 200, ""},
		{"part and gzip", files("path", hello), []string{"Range", "bytes=0-4", "Accept-Encoding", "gzip"}, 206, "hello"},
		{"part, no identity", files("path", hello), []string{"Range", "bytes=0-4", "Accept-Encoding", "gzip, identity;q=0"}, 406, ""},
		{"folder", files("path", d), nil, 400, "is a directory"},
		{"no path", "/files", nil, 400, "is a directory"},
		{"missing", files("path", d+"/zz"), []string{"Accept-Encoding", "identity;q=0"}, 404, "does not exist"},
		{"dangling", files("path", d+"/link-broken"), nil, 404, ""},
		{"cycle", files("path", d+"/self"), nil, 500, ""},
		{"below a file", files("path", hello+"/x"), nil, 500, ""},
		{"somebody's", files("path", "~alice/x"), nil, 400, ""},
		{"pipe", files("path", d+"/pipe"), nil, 400, ""},
		{"outside", files("path", "/etc/passwd"), nil, 400, ""},
		{"a link to outside", files("path", d+"/out"), nil, 400, ""},
		{"unknown user", files("path", hello, "username", "ghost"), nil, 401, ""},
		{"empty user", files("path", hello, "username", ""), nil, 401, ""},
		{"two paths", files("path", hello, "path", hello), nil, 400, ""},
		{"bad expiration", files("path", hello, "signature_expiration", "soon"), nil, 400, ""},
		{"not newer", files("path", hello), []string{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"}, 304, ""},
		{"any", files("path", hello), []string{"If-None-Match", "*"}, 304, ""},
		{"another tag", files("path", hello), []string{"If-None-Match", `"x"`}, 200, "hello world\n"},
	} {
		r := ask(s, "GET", c.target, "", c.headers...)
		data := string(plainBody(t, r))
		if r.StatusCode != c.status || !strings.Contains(data, c.body) {
			t.Errorf("%s: %s %q", c.name, r.Status, data)
		}
	}
	r := ask(s, "GET", files("path", hello), "", "Range", "bytes=0-0,2-2")
	if kind := r.Header.Get("Content-Type"); r.StatusCode != 206 || !strings.HasPrefix(kind, "multipart/byteranges") {
		t.Error(r.Status, kind)
	}
}

func TestWantsGzip(t *testing.T) {
	for _, c := range []struct {
		header string
		plain  bool
		gzip   bool
		fails  bool
	}{
		{"", false, false, false},
		{"gzip", false, true, false},
		{"deflate, gzip, br", false, true, false},
		{"identity;q=0, *", false, true, false},
		{"br", false, false, false},
		{"*", false, false, false},
		{"gzip;q=0", false, false, false},
		{"gzip;q=0.5, identity", false, false, false},
		{"GZIP ; q=0.5, identity;q=0.1", false, true, false},
		{"identity;q=0", false, false, true},
		{"*;q=0", false, false, true},
		{"*;q=0, gzip", false, true, false},
		{"identity, *;q=0", false, false, false},
		{"gzip", true, false, false},
		{"gzip, identity;q=0", true, false, true},
	} {
		got, err := wantsGzip(c.header, c.plain)
		if got != c.gzip || (err != nil) != c.fails {
			t.Errorf("%q: %v, %v", c.header, got, err)
		}
	}
}

// form is a multipart body of parts: field, file name and contents.
func form(parts ...[3]string) (body, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", `form-data; name="`+p[0]+`"`)
		if p[1] != "" {
			h.Set("Content-Disposition", `form-data; name="`+p[0]+`"; filename="`+p[1]+`"`)
		}
		_, _ = must1(w.CreatePart(h)).Write([]byte(p[2]))
	}
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

func TestWriting(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	must(t, os.Symlink("/tmp", d+"/out"))
	must(t, os.WriteFile(d+"/old", []byte("a longer text"), 0o600))
	raw := []string{"Content-Type", "application/octet-stream"}
	zip := append([]string{"Content-Encoding", "gzip"}, raw...)
	for _, c := range []struct {
		name, target, body string
		headers            []string
		status             int
		file, want         string
	}{
		{"new", files("path", d+"/a/b/new"), "x", raw, 200, "a/b/new", "x"},
		{"over", files("path", d+"/old"), "y", append([]string{"X-Metadata-A", "b"}, raw...), 200, "old", "y"},
		{"with parameters", files("path", d+"/p"), "x", []string{"Content-Type", "application/octet-stream; charset=x"}, 200, "p", "x"},
		{"nothing", files("path", d+"/none"), "", raw, 200, "none", ""},
		{"through a link", files("path", d+"/link-file"), "z", raw, 200, "hello.txt", "z"},
		{"through a dangling link", files("path", d+"/link-broken"), "z", raw, 200, "nowhere!", "z"},
		{"gzip", files("path", d+"/gz"), gzipped("unpacked"), zip, 200, "gz", "unpacked"},
		{"not gzip", files("path", d+"/gz"), "plain", zip, 400, "gz", "unpacked"},
		{"cut off", files("path", d+"/cut"), gzipped(strings.Repeat("unpacked", 99))[:30], zip, 500, "", ""},
		{"br", files("path", d+"/br"), "x", append([]string{"Content-Encoding", "br"}, raw...), 400, "", ""},
		{"no path", "/files", "x", raw, 400, "", ""},
		{"a folder", files("path", d+"/sub"), "x", raw, 400, "", ""},
		{"a slash", files("path", d+"/made/"), "x", raw, 400, "", ""},
		{"below a file", files("path", d+"/hello.txt/x"), "x", raw, 500, "", ""},
		{"outside", files("path", "/tmp/escaped"), "x", raw, 400, "", ""},
		{"through a link to outside", files("path", d+"/out/escaped"), "x", raw, 400, "", ""},
		{"json", files("path", d+"/j"), "{}", []string{"Content-Type", "application/json"}, 400, "", ""},
		{"no type", files("path", d+"/j"), "{}", nil, 400, "", ""},
		{"no boundary", files("path", d+"/j"), "{}", []string{"Content-Type", "multipart/form-data"}, 500, "", ""},
		{"metadata", files("path", d+"/m"), "x", append([]string{"X-Metadata-Key", "ü"}, raw...), 400, "", ""},
		{"unknown user", files("path", d+"/m", "username", "ghost"), "x", raw, 401, "", ""},
	} {
		r := ask(s, "POST", c.target, c.body, c.headers...)
		if data := string(plainBody(t, r)); r.StatusCode != c.status {
			t.Errorf("%s: %s %q", c.name, r.Status, data)
		}
		if c.file != "" {
			if got, err := os.ReadFile(d + "/" + c.file); string(got) != c.want || err != nil {
				t.Errorf("%s: %q %v", c.name, got, err)
			}
		}
	}
	if info, err := os.Stat(d + "/old"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error("the mode was not kept", info.Mode(), err)
	}
	if _, err := os.Stat("/tmp/escaped"); err == nil {
		t.Error("a file outside of the root was written")
	}
}

func TestForms(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	for _, c := range []struct {
		name, target string
		parts        [][3]string
		status       int
		answer       string
	}{
		{"path wins", files("path", d+"/one"), [][3]string{{"file", "other", "1"}}, 200, `[{"name":"one","path":"` + d + `/one","type":"file"}]`},
		{"folders in names", "/files", [][3]string{{"file", d + "/x/y", "1"}, {"note", "z", "2"}, {"file", "demo/v", "3"}}, 200, `"path":"` + d + `/x/y"`},
		{"only others", "/files", [][3]string{{"note", "z", "2"}}, 200, `[]`},
		{"two of one path", files("path", d+"/two"), [][3]string{{"file", "a", "1"}, {"file", "b", "2"}}, 400, ""},
		{"no name", "/files", [][3]string{{"file", "", "1"}}, 400, ""},
		{"quote", "/files", [][3]string{{"file", d + `/q\"%22`, "1"}}, 200, ""},
		{"second fails", "/files", [][3]string{{"file", d + "/s1", "1"}, {"file", d + "/sub", "2"}, {"file", d + "/s3", "3"}}, 400, ""},
	} {
		body, kind := form(c.parts...)
		r := ask(s, "POST", c.target, body, "Content-Type", kind)
		if data := string(plainBody(t, r)); r.StatusCode != c.status || !strings.Contains(data, c.answer) {
			t.Errorf("%s: %s %s", c.name, r.Status, data)
		}
		if r := ask(s, "POST", c.target, body[:len(body)-20], "Content-Type", kind); r.StatusCode == 200 {
			t.Errorf("%s, cut off: %s", c.name, r.Status)
		}
		if r := ask(s, "POST", c.target, gzipped(body), "Content-Type", kind, "Content-Encoding", "gzip"); r.StatusCode != c.status {
			t.Errorf("%s, compressed: %s", c.name, r.Status)
		}
	}
	for name, want := range map[string]string{"two": "1", `q"%22`: "1", "s1": "1", "v": "3", "x/y": "1"} {
		if got, err := os.ReadFile(d + "/" + name); string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if _, err := os.Stat(d + "/s3"); err == nil {
		t.Error("what came after a failure was written")
	}
}

func TestMetadata(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	target := files("path", home+"/demo/m")
	write := func(headers ...string) string {
		r := ask(s, "POST", target, "x", append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
		return string(plainBody(t, r))
	}
	if !strings.Contains(write("X-Metadata-Author", "me"), `"metadata":{"author":"me"}`) {
		t.Skip("this file system has no extended attributes")
	}
	if got := write("X-Metadata-OTHER", "1"); !strings.Contains(got, `"metadata":{"other":"1"}`) {
		t.Error(got)
	}
	_, _, stat := call(t, s, "Stat", pathOf(home+"/demo/m"))
	_, _, list := call(t, s, "ListDir", pathOf(home+"/demo"))
	for _, got := range []map[string]any{stat, list} {
		if !strings.Contains(fmt.Sprint(got), "metadata:map[other:1]") {
			t.Error(got)
		}
	}
	if got := write(); strings.Contains(got, "metadata") {
		t.Error("not cleared:", got)
	}
	for _, c := range []struct {
		key, value string
		fine       bool
	}{
		{strings.Repeat("k", 246), "", true},
		{strings.Repeat("k", 247), "", false},
		{"k", strings.Repeat("v", 4086), true},
		{"k", strings.Repeat("v", 4087), false},
		{"k", "\x7f", false},
	} {
		if err := checkMetadata(map[string]string{c.key: c.value}); (err == nil) != c.fine {
			t.Errorf("%d bytes, %d bytes: %v", len(c.key), len(c.value), err)
		}
	}
}

func TestCompose(t *testing.T) {
	home := demo(t)
	d := home + "/demo"
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	must(t, os.WriteFile(d+"/1", []byte("one "), 0o600))
	must(t, os.WriteFile(d+"/2", []byte("two"), 0o600))
	ask := func(sources []string, to, user string) (int, string) {
		body := must1(json.Marshal(map[string]any{"source_paths": sources, "destination": to, "username": user}))
		r := ask(s, "POST", "/files/compose", string(body))
		return r.StatusCode, string(plainBody(t, r))
	}
	for _, c := range []struct {
		sources  []string
		to, user string
		want     int
	}{
		{nil, d + "/x", "", 400},
		{[]string{d + "/1"}, "", "", 400},
		{[]string{d + "/1"}, d + "/1", "", 400},
		{[]string{d + "/sub"}, d + "/x", "", 400},
		{[]string{d + "/1", d + "/zz"}, d + "/x", "", 404},
		{[]string{d + "/1"}, d + "/x", "ghost", 401},
		{[]string{"/etc/passwd"}, d + "/x", "", 400},
		{[]string{d + "/1", "demo/2"}, d + "/n/x", "user", 200},
	} {
		if status, answer := ask(c.sources, c.to, c.user); status != c.want {
			t.Errorf("%v: %d %s", c, status, answer)
		}
	}
	if got, err := os.ReadFile(d + "/n/x"); string(got) != "one two" {
		t.Error(string(got), err)
	}
	if _, err := os.Stat(d + "/1"); err == nil {
		t.Error("a source is still there")
	}
}

func TestSignedRequests(t *testing.T) {
	home := demo(t)
	s := newServer(t, ServerOptions{Root: home, Token: testToken})
	hello := home + "/demo/hello.txt"
	base := must1(url.Parse("http://localhost"))
	target := func(path string, op Operation, user string, until time.Time) string {
		return strings.TrimPrefix(must1(SignedURL(base, path, op, user, testToken, until)), "http://localhost")
	}
	late := target(hello, Read, "", time.Unix(1700000000, 0))
	for _, c := range []struct {
		name, method, target string
		token                string
		status               int
		says                 string
	}{
		{"read", "GET", target(hello, Read, "", time.Time{}), "", 200, "hello world"},
		{"until", "GET", target(hello, Read, "user", time.Now().Add(time.Hour)), "", 200, "hello world"},
		{"too late", "GET", late, "", 401, "already expired"},
		{"relative", "GET", target("demo/hello.txt", Read, "", time.Time{}), "", 200, "hello world"},
		{"for another path", "GET", strings.Replace(target(hello, Read, "", time.Time{}), "hello", "other", 1), "", 401, "invalid signature"},
		{"for writing", "GET", target(hello, Write, "", time.Time{}), "", 401, "invalid signature"},
		{"none", "GET", files("path", hello), "", 401, "missing signature"},
		{"wrong token", "GET", target(hello, Read, "", time.Time{}), "wrong", 401, "does not match"},
		{"write", "POST", target(home+"/demo/w", Write, "", time.Time{}), "", 200, ""},
		{"token only", "GET", files("path", hello, "signature", "v1_x"), testToken, 200, "hello world"},
	} {
		headers := []string{"Content-Type", "application/octet-stream"}
		if c.token != "" {
			headers = append(headers, "X-Access-Token", c.token)
		}
		r := ask(s, c.method, c.target, "x", headers...)
		if data := string(plainBody(t, r)); r.StatusCode != c.status || !strings.Contains(data, c.says) {
			t.Errorf("%s: %s %q", c.name, r.Status, data)
		}
	}
	open := newServer(t, ServerOptions{Root: home, NoAuth: true})
	if r := ask(open, "GET", late, ""); r.StatusCode != http.StatusOK {
		t.Error("a signature counts without a token:", r.Status)
	}
}
