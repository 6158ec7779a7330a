package unsandbox

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// run submits a program and waits for it.
func (c *Client) run(t *testing.T, p Program) (Job, error) {
	t.Helper()
	j, err := c.Submit(t.Context(), p, Submission{})
	if err != nil || j.Over() {
		return j, err
	}
	return c.Wait(t.Context(), j.ID, Waiting{TTL: p.TTL})
}

func TestExecute(t *testing.T) {
	for _, c := range []struct {
		scenario, mode string
		want           []string // requests, ids apart
	}{
		{"", "", []string{"POST /execute/async", "GET /jobs/"}},
		{"async=200", "", []string{"POST /execute/async", "GET /jobs/"}},
		{"", SubmitSync, []string{"POST /execute"}},
		{"execute=blocking", SubmitSync, []string{"POST /execute"}},
		{"execute=blocking-nostatus", SubmitSync, []string{"POST /execute"}},
		{"execute=nested", SubmitSync, []string{"POST /execute"}},
		{"execute=pending", SubmitSync, []string{"POST /execute", "GET /jobs/"}},
		{"execute=queued", SubmitSync, []string{"POST /execute", "GET /jobs/"}},
		{"async=404", "", []string{"POST /execute/async", "POST /execute"}},
		{"async=405", "", []string{"POST /execute/async", "POST /execute"}},
		{"poll=nostatus", "", []string{"POST /execute/async", "GET /jobs/"}},
	} {
		t.Run(c.scenario+" "+c.mode, func(t *testing.T) {
			client, s, _ := dial(t, unsandboxtest.Options{})
			set(t, s, c.scenario)
			j, err := client.Submit(t.Context(), python("print(42)"), Submission{Mode: c.mode})
			if err == nil && !j.Over() {
				j, err = client.Wait(t.Context(), j.ID, Waiting{})
			}
			if err != nil || j.Stdout != "42\n" || !j.OK() {
				t.Errorf("%+v %v", j, err)
			}
			got := calls(s)
			for i := range got {
				if strings.HasPrefix(got[i], "GET /jobs/") {
					got[i] = "GET /jobs/"
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestNoAsyncIsRemembered: a service without it is asked once.
func TestNoAsyncIsRemembered(t *testing.T) {
	c, s, _ := dial(t, unsandboxtest.Options{})
	set(t, s, "async=404")
	for range 2 {
		if j, err := c.run(t, python("print(1)")); err != nil || j.Stdout != "1\n" {
			t.Errorf("%+v %v", j, err)
		}
	}
	if got := calls(s); !slices.Equal(got, []string{"POST /execute/async", "POST /execute", "POST /execute"}) {
		t.Errorf("%q", got)
	}
}

func TestSchedule(t *testing.T) {
	c, s, k := dial(t, unsandboxtest.Options{Pending: 3, Running: 5})
	var states []string
	j, err := c.Submit(t.Context(), python("print(1)"), Submission{})
	if err != nil {
		t.Fatal(err)
	}
	if j, err = c.Wait(t.Context(), j.ID, Waiting{Each: func(j Job) { states = append(states, j.Status) }}); err != nil || j.Stdout != "1\n" {
		t.Fatal(j, err)
	}
	if want := []int{300, 450, 700, 900, 650, 1600, 2000, 2000, 2000}; !slices.Equal(k.slept(), want) {
		t.Errorf("slept %v, want %v", k.slept(), want)
	}
	if want := "pending pending pending running running running running running completed"; strings.Join(states, " ") != want {
		t.Errorf("states %q", states)
	}
	seen := map[string]bool{}
	for _, r := range s.Transcript() {
		if r.Header.Get("Authorization") != "Bearer "+unsandboxtest.PublicKey || len(r.Header.Get("X-Signature")) != 64 || r.Header.Get("User-Agent") != "nbterm/test" || !r.Taken {
			t.Errorf("%s %s: %v", r.Method, r.Path, r.Header)
		}
		if r.Method == "GET" && r.Body != "" {
			t.Errorf("a body: %q", r.Body)
		}
		seen[r.Header.Get("X-Timestamp")+r.Header.Get("X-Signature")] = true
	}
	if len(seen) < 8 {
		t.Errorf("only %d signatures", len(seen))
	}
}

func TestPollingFaults(t *testing.T) {
	for _, c := range []struct {
		scenario string
		want     string // output, or a part of the error
		slept    []int
	}{
		{"poll=503x2", "1\n", []int{300, 2000, 2000}},
		{"poll=429x2", "1\n", []int{300, 2000, 2000}},
		{"poll=badjsonx2", "1\n", []int{300, 2000, 2000}},
		{"poll=dropx3", "1\n", nil},
		{"poll=404x5", "1\n", []int{300, 2000, 2000, 2000, 2000, 2000}},
		{"poll=404x6", "not found", nil},
		{"poll=503then404", "job state lost, the command may have completed", []int{300, 2000}},
		{"poll=401", "UNSANDBOX", []int{300}},
		{"poll=503", "gave up after 30 errors", nil},
		{"poll=drop", "gave up after 30 errors", nil},
		{"poll=badjson", "gave up after 30 errors", nil},
		{"poll=unknownstatusx3", "1\n", []int{300, 450, 700, 900}},
		{"poll=unknownstatus", "gave up waiting", nil},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			client, s, k := dial(t, unsandboxtest.Options{})
			set(t, s, c.scenario)
			j, err := client.run(t, python("print(1)"))
			got := j.Stdout
			var lost *JobLostError
			if err != nil {
				got = err.Error()
				if errors.As(err, &lost) && (lost.JobID == "" || !strings.Contains(got, lost.JobID)) {
					t.Errorf("no id in %s", got)
				}
			}
			if c.want == "UNSANDBOX" {
				if !errors.Is(err, kernelclient.Unauthenticated) || !strings.Contains(got, "from env") {
					t.Errorf("%v", err)
				}
			} else if !strings.Contains(got, c.want) || (c.want == "1\n") != (err == nil) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.slept != nil && !slices.Equal(k.slept(), c.slept) {
				t.Errorf("slept %v, want %v", k.slept(), c.slept)
			}
		})
	}
}

// TestWaitIsCancelled in the middle of a sleep.
func TestWaitIsCancelled(t *testing.T) {
	c, _, k := dial(t, unsandboxtest.Options{Pending: 100})
	k.reset(true)
	ctx, cancel := context.WithCancelCause(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := c.Wait(ctx, "job_1", Waiting{})
		errs <- err
	}()
	<-k.asleep
	why := errors.New("enough")
	cancel(why)
	if err := <-errs; !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestSubmitFaults(t *testing.T) {
	for _, c := range []struct {
		scenario string
		kind     error // nil: it ends well
		words    string
		slept    []int // before the submission is taken or given up
		posts    int
	}{
		{"submit=401", kernelclient.Unauthenticated, "from env", nil, 1},
		{"submit=401skew clock=+250s", kernelclient.Unauthenticated, "250 s behind", nil, 1},
		{"clock=+412s", kernelclient.Unauthenticated, "412 s behind", nil, 1},
		{"clock=-412s", kernelclient.Unauthenticated, "412 s ahead", nil, 1},
		{"submit=403", kernelclient.Forbidden, "plan", nil, 1},
		{"submit=429ratex3", nil, "", []int{2000, 4000, 8000}, 4},
		{"submit=429rate", kernelclient.RateLimited, "429", []int{2000, 4000, 8000}, 4},
		{"submit=429concx4", nil, "", []int{2000, 4000, 8000, 8000}, 5},
		{"submit=429conc", kernelclient.RateLimited, "3 of 3 executions", nil, 0},
		{"submit=500html", kernelclient.Disconnect, "500", nil, 1},
		{"submit=500text", kernelclient.Disconnect, "internal error", nil, 1},
		{"submit=badjson", kernelclient.Protocol, "failed to parse response", nil, 1},
		{"submit=empty", kernelclient.Protocol, "failed to parse response", nil, 1},
		{"submit=redirect", kernelclient.Protocol, "302", nil, 1},
		{"submit=huge", kernelclient.Protocol, "64 MiB", nil, 1},
		{"submit=reset", kernelclient.Disconnect, "lost", nil, 1},
		{"async=404 execute=nothing", kernelclient.Protocol, "no job_id in response", nil, 2},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			client, s, k := dial(t, unsandboxtest.Options{})
			set(t, s, c.scenario)
			var said []string
			_, err := client.Submit(t.Context(), python("print(1)"), Submission{Say: func(line string) { said = append(said, line) }})
			if c.kind == nil && err != nil || c.kind != nil && !errors.Is(err, c.kind) {
				t.Fatalf("%v", err)
			}
			if err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v", err)
			}
			if err != nil && (len(err.Error()) > 500 || strings.Contains(err.Error(), "\x1b") || strings.Contains(err.Error(), unsandboxtest.SecretKey)) {
				t.Errorf("%q", err)
			}
			if c.slept != nil && (!slices.Equal(k.slept(), c.slept) || len(said) < 3) {
				t.Errorf("slept %v, said %q", k.slept(), said)
			}
			if n := len(s.Transcript()); c.posts > 0 && n != c.posts {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestSlowSubmission: the clock of sending is named, and nothing is sent again.
func TestSlowSubmission(t *testing.T) {
	c, s, _ := dial(t, unsandboxtest.Options{})
	set(t, s, "submit=slow")
	c.opt.RequestTimeout = 20 * time.Millisecond
	_, err := c.Submit(t.Context(), python("print(1)"), Submission{})
	var late *kernelclient.TimeoutError
	if !errors.As(err, &late) || late.Setting != "--request-timeout" {
		t.Errorf("%v", err)
	}
	if n := len(s.Transcript()); n > 1 {
		t.Errorf("%d requests", n)
	}
}

// TestUnreachable: a connection that could not be made is tried once more.
func TestUnreachable(t *testing.T) {
	c, s, k := dial(t, unsandboxtest.Options{})
	s.Close()
	_, err := c.Submit(t.Context(), python("print(1)"), Submission{})
	if !errors.Is(err, kernelclient.Disconnect) || !strings.Contains(err.Error(), strings.TrimPrefix(s.URL, "http://")) {
		t.Errorf("%v", err)
	}
	if len(k.slept()) != 1 {
		t.Errorf("slept %v", k.slept())
	}
}

func TestProgram(t *testing.T) {
	tricky := "<>&\"\\\n é 😀 \u2028 \x00"
	for _, c := range []struct {
		p    Program
		want string
	}{
		{python("print(42)"), `{"language":"python","code":"print(42)"}`},
		{Program{Language: "c", Code: "x", VCPU: 1, TTL: 1500 * time.Millisecond}, `{"language":"c","code":"x","ttl":2}`},
		{
			Program{Language: "c", Code: "x", VCPU: 2, Network: NetworkOut, Artifacts: true, Env: map[string]string{"A": "1"}},
			`{"language":"c","code":"x","env":{"A":"1"},"network_mode":"semitrusted","vcpu":2,"return_artifact":true}`,
		},
		{Program{Language: "php", Code: "<?php echo 1;"}, `{"language":"php","code":" echo 1;"}`},
		{Program{Language: "python", Code: "1", Files: []File{{"a.csv", []byte{0, 255}}}}, `{"language":"python","code":"1","input_files":[{"filename":"a.csv","content":"AP8="}]}`},
	} {
		if b, err := c.p.body(); err != nil || string(b) != c.want {
			t.Errorf("%s %v, want %s", b, err, c.want)
		}
	}
	c, s, _ := dial(t, unsandboxtest.Options{})
	if _, err := c.Submit(t.Context(), python(tricky), Submission{}); err != nil { // signed as it is sent
		t.Error(err)
	}
	for _, p := range []Program{
		{Code: "x"},
		{Language: "c", TTL: 901 * time.Second},
		{Language: "c", TTL: -1},
		{Language: "c", VCPU: 9},
		{Language: "c", Network: "full"},
		{Language: "c", Files: []File{{Name: "../a"}}},
		{Language: "c", Files: []File{{Name: "a", Data: make([]byte, maxFile+1)}}},
	} {
		if _, err := c.Submit(t.Context(), p, Submission{}); !errors.Is(err, kernelclient.Invalid) {
			t.Errorf("%v", err)
		}
	}
	if len(s.Transcript()) != 1 {
		t.Errorf("%q", calls(s))
	}
}

func TestCancel(t *testing.T) {
	for _, c := range []struct{ scenario, status, output string }{
		{"cancel=200", Cancelled, "part\n"},
		{"cancel=204", Cancelled, "part\n"},
		{"cancel=finished-first", Completed, "part\n"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			client, s, _ := dial(t, unsandboxtest.Options{})
			set(t, s, c.scenario)
			j, err := client.Submit(t.Context(), python("echo part\nsleep 50"), Submission{})
			if err != nil {
				t.Fatal(err)
			}
			if j, err = client.Cancel(t.Context(), j.ID); err != nil || j.Status != c.status || j.Stdout != c.output {
				t.Errorf("%+v %v", j, err)
			}
		})
	}
	client, s, _ := dial(t, unsandboxtest.Options{})
	var lost *JobLostError
	if _, err := client.Cancel(t.Context(), "job_none"); !errors.As(err, &lost) || lost.JobID != "job_none" {
		t.Errorf("%v", err)
	}
	if got := calls(s); !slices.Equal(got, []string{"DELETE /jobs/job_none", "GET /jobs/job_none"}) {
		t.Errorf("%q", got)
	}
}

func TestJobs(t *testing.T) {
	for _, form := range []string{"wrapped", "bare", "idkey", "nokey"} {
		c, s, _ := dial(t, unsandboxtest.Options{Pending: 5})
		j, err := c.Submit(t.Context(), python("print(1)"), Submission{})
		if err != nil {
			t.Fatal(err)
		}
		set(t, s, "jobs="+form)
		all, err := c.Jobs(t.Context())
		if form == "nokey" {
			if err != nil || len(all) != 0 {
				t.Errorf("%v %v", all, err)
			}
		} else if err != nil || len(all) != 1 || all[0].ID != j.ID || all[0].Status != "pending" || all[0].Created.IsZero() {
			t.Errorf("%s: %+v %v", form, all, err)
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, form := range []string{"wrapped", "bare", "objects"} {
		c, s, _ := dial(t, unsandboxtest.Options{Languages: []string{"python", "bash"}})
		set(t, s, "languages="+form)
		for range 2 { // the second time from the disk
			if l, err := c.Languages(t.Context()); err != nil || !slices.Equal(l.Names, []string{"python", "bash"}) || l.Stale {
				t.Errorf("%s: %v %v", form, l, err)
			}
		}
		if n := len(s.Transcript()); n != 1 {
			t.Errorf("%s: %d requests", form, n)
		}
	}
}

// TestLanguagesStale: an old list is better than none, an empty one is not kept.
func TestLanguagesStale(t *testing.T) {
	c, s, _ := dial(t, unsandboxtest.Options{})
	set(t, s, "languages=empty")
	if l, err := c.Languages(t.Context()); err != nil || len(l.Names) != 0 {
		t.Errorf("%v %v", l, err)
	}
	writeCache(c.cacheFile(), Languages{Names: []string{"old"}}, time.Now())
	c.now = func() time.Time { return time.Now().Add(3 * time.Hour) }
	set(t, s, "languages=500")
	if l, err := c.Languages(t.Context()); err != nil || !l.Stale || l.Names[0] != "old" {
		t.Errorf("%v %v", l, err)
	}
	// A fresh one needs neither network nor keys.
	c.now = time.Now
	c.opt.Lookup.Env = func(name string) string {
		return map[string]string{"HOME": environment(nil)("HOME")}[name]
	}
}

func TestValidate(t *testing.T) {
	for scenario, want := range map[string]KeyInfo{
		"":                    {Valid: true, Tier: "3", Status: "active", Concurrency: 3, Rate: 60, Burst: 10},
		"validate=invalid200": {Reason: "invalid_key"},
		"validate=invalid401": {Reason: "invalid_key"},
		"validate=expired":    {Reason: "expired"},
	} {
		c, s, _ := dial(t, unsandboxtest.Options{})
		set(t, s, scenario)
		k, err := c.Validate(t.Context())
		if err != nil || k.Valid != want.Valid || k.Tier != want.Tier || k.Reason != want.Reason || k.Concurrency != want.Concurrency || k.Rate != want.Rate {
			t.Errorf("%s: %+v %v", scenario, k, err)
		}
		if !k.Valid && k.Renew == "" || k.PublicKey != "…dddd" || k.Source != "env" {
			t.Errorf("%s: %+v", scenario, k)
		}
	}
	c, s, _ := dial(t, unsandboxtest.Options{})
	if err := c.Healthy(t.Context()); err != nil {
		t.Error(err)
	}
	if h := s.Transcript()[0].Header; h.Get("Authorization") != "" {
		t.Errorf("the one open request carries %v", h)
	}
}

func TestForgottenJob(t *testing.T) {
	file := filepath.Join(t.TempDir(), "jobs")
	jobLog{file}.write(Note{Job: "job_1", State: "pending", File: "a.ipynb"})
	NoteForgotten(file, "job_2") // of another machine
	if notes := ReadJobLog(file); len(notes) != 1 || notes[0].Over() {
		t.Errorf("the log has %+v", notes)
	}
	NoteForgotten(file, "job_1")
	if notes := ReadJobLog(file); len(notes) != 1 || !notes[0].Over() || notes[0].File != "a.ipynb" {
		t.Errorf("the log has %+v", notes)
	}
}
