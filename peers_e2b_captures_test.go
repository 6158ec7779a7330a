//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// capture is something that the genuine code interpreter answered, and how to ask for it.
// What is compared is the answer of the last step, or of the one call.
type capture struct {
	Name     string // of the file
	Deviates string // why our answer is another; "" for one that must be the same
	Cannot   string // why it cannot be asked for

	Fresh bool // in a context of its own, with this folder
	Cwd   string
	Steps []captureStep

	Method, Path, Body string // {id} is a fresh context's
	Headers            map[string]string
}

// captureStep is one execution, and what happens once it has printed something.
type captureStep struct {
	Code, Language string
	Env            map[string]string
	During         string // restart, delete or leave
	Do             string // restart: no execution at all
}

const capturesFolder = "testdata/peers/e2b/captures"

func readCaptures(t *testing.T) (all []capture) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(capturesFolder, "requests.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCapturesAreAllAsked finds each capture that is in the tree among those that are
// compared, and those that differ on the page that says why.
func TestCapturesAreAllAsked(t *testing.T) {
	var files []string
	for _, pattern := range []string{capturesFolder + "/*.http", streamsFolder + "/*.ndjson"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	all := readCaptures(t)
	if len(files) < 100 || len(all) != len(files) {
		t.Errorf("%d captures and %d requests", len(files), len(all))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ndjson")
		if !slices.ContainsFunc(all, func(c capture) bool { return c.Name == name }) {
			t.Errorf("nobody asks for %s", name)
		}
	}
	if page, err := os.ReadFile(compatPage); err != nil || !bytes.HasSuffix(page, deviationsOf(all)) {
		t.Errorf("%s does not end with what differs: %v", compatPage, err)
	}
}

const streamsFolder = "kernelclient/e2b/wire/testdata"

// TestPeerE2BCaptures compares our answers with all that were captured: they are the same
// bytes, but for what is masked, or their difference has a reason.
func TestPeerE2BCaptures(t *testing.T) {
	if os.Getenv("NBTERM_TEST_PEER") != "e2b" {
		t.Skip("make test-peers GROUP=e2b sets up its peers")
	}
	t.Parallel()
	env := codeServer(t, "debug")
	value := func(name string) string {
		i := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		return strings.TrimPrefix(env[i], name+"=")
	}
	a := captureAsker{t: t, url: value("E2B_SANDBOX_URL"), root: value("ROOT")}
	for _, c := range readCaptures(t) {
		if c.Cannot != "" {
			continue
		}
		want, got := a.masked(captured(t, c.Name)), a.masked(a.ask(c))
		if !strings.Contains(want, keepaliveLine) { // a slow machine's silence
			got = strings.ReplaceAll(got, keepaliveLine, "")
		}
		switch {
		case want != got && c.Deviates == "":
			t.Errorf("%s:\ngot  %s\nwant %s", c.Name, got, want)
		case want == got && c.Deviates != "":
			t.Errorf("%s is as it was captured, though it is said to differ: %s", c.Name, c.Deviates)
		case want != got:
			t.Logf("%s: %s\ngot  %s\nwant %s", c.Name, c.Deviates, got, want)
		}
	}
}

const keepaliveLine = "{\"type\": \"keepalive\"}\n"

// captured is a capture's text: a stream's lines, or what told makes of an answer.
func captured(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(streamsFolder, name+".ndjson")
	if strings.HasSuffix(name, ".http") {
		file = filepath.Join(capturesFolder, name)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".http") {
		return string(data)
	}
	r := &http.Request{Method: http.MethodGet}
	if strings.HasPrefix(name, "http_head") {
		r.Method = http.MethodHead
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if name == "disconnect_partial.http" {
		body, _ := io.ReadAll(resp.Body) // it is cut on purpose
		return string(body)
	}
	return told(t, resp)
}

// told is what an answer says and its client can see.
func told(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, resp.StatusCode, resp.TransferEncoding)
	for _, name := range []string{"Content-Type", "Allow", "Location", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	return b.String() + "\n" + string(body)
}

// captureAsker asks our server.
type captureAsker struct {
	t         *testing.T
	url, root string
}

var captureMasks = []struct {
	is   *regexp.Regexp
	mask string
}{
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`"timestamp": "[^"]*"`), `"timestamp": "T"`},
	{regexp.MustCompile(`"execution_count": [0-9]+`), `"execution_count": N`},
	{regexp.MustCompile(`In\[[0-9]+\]`), "In[N]"},
	{regexp.MustCompile(`"png": "[^"]*"`), `"png": "P"`},
	{regexp.MustCompile(`(<site-packages>|/[^" ]*/site-packages)/([^:" ]*):[0-9]+`), "<site-packages>/$2:N"},
	{regexp.MustCompile(`localhost:[0-9]+|127\.0\.0\.1:[0-9]+`), "HOST"},
	// Kernels send what was printed in pieces as their clock has it.
	{regexp.MustCompile(`", "timestamp": "T"}\n\{"type": "stdout", "text": "`), ""},
}

// masked is an answer without what differs from one run to the next, and with the folder
// that the genuine server has.
func (a captureAsker) masked(text string) string {
	text = strings.ReplaceAll(text, a.root, "/home/user")
	for _, m := range captureMasks {
		text = m.is.ReplaceAllString(text, m.mask)
	}
	return text
}

func (a captureAsker) send(method, path, body string, headers map[string]string) *http.Response {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	for k, v := range headers {
		r.Header.Set(k, v)
	}
	// Redirects are answers, too.
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp
}

// call sends a request whose answer is of no interest beyond its success.
func (a captureAsker) call(method, path, body string) []byte {
	a.t.Helper()
	resp := a.send(method, path, body, nil)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		a.t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, data, err)
	}
	return data
}

func (a captureAsker) context(cwd string) string {
	a.t.Helper()
	body, err := json.Marshal(map[string]string{"cwd": cwd})
	if err != nil {
		a.t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(a.call(http.MethodPost, "/contexts", string(body)), &made); err != nil {
		a.t.Fatal(err)
	}
	return made.ID
}

// ask does what a capture's answer came of, and returns ours.
func (a captureAsker) ask(c capture) (answer string) {
	a.t.Helper()
	if c.Method != "" {
		if strings.Contains(c.Path, "{id}") {
			c.Path = strings.ReplaceAll(c.Path, "{id}", a.context(""))
		}
		resp := a.send(c.Method, c.Path, c.Body, c.Headers)
		defer resp.Body.Close()
		return told(a.t, resp)
	}
	id := ""
	if c.Fresh {
		id = a.context(c.Cwd)
	}
	for _, s := range c.Steps {
		if s.Do == "restart" {
			a.call(http.MethodPost, "/contexts/"+id+"/restart", "")
			continue
		}
		answer = a.execute(id, s)
	}
	return answer
}

// execute runs a step's code and returns the lines up to its end or, where the client
// leaves, up to then.
func (a captureAsker) execute(id string, s captureStep) string {
	a.t.Helper()
	body, err := json.Marshal(map[string]any{"code": s.Code, "context_id": id, "language": s.Language, "env_vars": s.Env})
	if err != nil {
		a.t.Fatal(err)
	}
	resp := a.send(http.MethodPost, "/execute", string(body), nil)
	defer resp.Body.Close()
	var lines strings.Builder
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		lines.WriteString(line)
		if err == io.EOF {
			return lines.String()
		}
		if err != nil {
			a.t.Fatal(err)
		}
		if !strings.Contains(line, `"stdout"`) {
			continue
		}
		switch s.During {
		case "leave":
			return lines.String()
		case "restart":
			a.call(http.MethodPost, "/contexts/"+id+"/restart", "")
		case "delete":
			a.call(http.MethodDelete, "/contexts/"+id, "")
		}
		s.During = ""
	}
}
