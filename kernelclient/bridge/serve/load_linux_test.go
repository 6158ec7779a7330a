package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient/bridge/e2bface"
	"github.com/nbterm/nbterm/kernelclient/bridge/serve"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loaded is a server of the E2B face in this process, on built-in kernels.
type loaded struct {
	t      testing.TB
	host   *local.Host
	url    string
	client *http.Client
	mark   string // in the environment of every process
}

func load(t testing.TB) *loaded {
	t.Helper()
	l := &loaded{
		t: t, mark: "NBTERM_TEST_MARK=" + strconv.FormatUint(rand.Uint64(), 36),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 5 * time.Minute},
	}
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "JUPYTER_RUNTIME_DIR=" + home + "/run", l.mark}
	l.host = local.New(local.Options{Dir: home, Env: env, LogDir: t.TempDir(), Forget: true})
	face, err := e2bface.New(e2bface.Options{Host: l.host, Root: home, Env: env, NoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	listeners, err := serve.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New(serve.Options{})
	s.Add(face, listeners...)
	l.url = "http://" + listeners[0].Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(ctx, func() {
			bounded, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			face.Close(bounded)
		}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		l.client.CloseIdleConnections()
		cancel()
		serving.Wait()
		if err := l.host.Close(); err != nil {
			t.Error(err)
		}
		hosttest.Eventually(t, "the end of every process", func() bool { return len(l.processes()) == 0 })
	})
	return l
}

// processes are those of the server's kernels.
func (l *loaded) processes() (pids []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte(l.mark)) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// context makes one with a built-in kernel and returns its id.
func (l *loaded) context() (string, error) {
	resp, err := l.client.Post(l.url+"/contexts", "application/json", strings.NewReader(`{"language": "builtin-python"}`))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var made struct{ ID string }
	return made.ID, errorOf(resp, json.NewDecoder(resp.Body).Decode(&made), &made.ID)
}

func errorOf(resp *http.Response, err error, id *string) error {
	if err == nil && (resp.StatusCode != http.StatusOK || *id == "") {
		err = fmt.Errorf("no context: %s", resp.Status)
	}
	return err
}

// ended is how every stream ends, and no other line of one.
const ended = "{\"type\": \"end_of_execution\"}\n"

// run runs code and returns its lines up to the end, which has to be there once. each, if not
// nil, is called with every line as it comes.
func (l *loaded) run(ctx context.Context, id, code string, each func(string)) (lines []string, err error) {
	body, err := json.Marshal(map[string]string{"context_id": id, "code": code})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+"/execute", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := l.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	for in := bufio.NewReaderSize(resp.Body, 64<<10); ; {
		line, err := in.ReadString('\n')
		switch {
		case err == io.EOF && len(lines) > 0 && lines[len(lines)-1] == ended && resp.StatusCode == http.StatusOK:
			return lines, nil
		case err != nil:
			return lines, fmt.Errorf("%s, after %d lines: %w", resp.Status, len(lines), err)
		}
		if each != nil {
			each(line)
		}
		lines = append(lines, line)
	}
}

// size is how much of everything there is: with NBTERM_LOAD set, what `make soak` asks for.
func size() (idle, streams, short, left int) {
	if os.Getenv("NBTERM_LOAD") != "" {
		return 200, 50, 10_000, 1_000
	}
	return 12, 8, 200, 40
}

// all calls do for every number below n, some at a time, and fails the test by their errors.
func (l *loaded) all(n, atOnce int, do func(i int) error) {
	l.t.Helper()
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range numbers {
				if err := do(i); err != nil {
					l.t.Errorf("%d: %v", i, err)
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
	if l.t.Failed() {
		l.t.FailNow()
	}
}

// held is what this process holds now: memory of its own in bytes, goroutines and open files.
func held(t testing.TB) (memory int64, goroutines, files int) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return int64(m.HeapInuse + m.StackInuse), runtime.NumGoroutine(), len(entries)
}

// TestLoad has many contexts, streams at once, short executions and clients that leave at any
// moment: every stream has its one end and what belongs to it, and nothing is left of any.
func TestLoad(t *testing.T) {
	l := load(t)
	idle, streams, short, left := size()
	ids := make([]string, idle)
	if _, err := l.run(t.Context(), "default", "None", nil); err != nil { // it starts with the server
		t.Fatal(err)
	}
	before, _, _ := held(t)
	l.all(idle, 4, func(i int) (err error) {
		ids[i], err = l.context()
		return err
	})
	after, goroutines, files := held(t)
	t.Logf("%d idle contexts: %d KiB each here", idle, (after-before)/int64(idle)>>10)
	l.all(streams, streams, func(i int) error { return l.stream(ids[i], 200) })
	begun := time.Now()
	l.all(short, 8, func(i int) error {
		lines, err := l.run(t.Context(), ids[i%idle], fmt.Sprint("print(", i, ")"), nil)
		if want := fmt.Sprintf(`"text": "%d\n"`, i); err == nil && !strings.Contains(strings.Join(lines, ""), want) {
			err = fmt.Errorf("it put out %q", lines)
		}
		return err
	})
	t.Logf("%d short executions: %.0f a second", short, float64(short)/time.Since(begun).Seconds())
	l.all(left, 8, func(i int) error { return l.leave(ids[i%8]) })
	l.all(idle, 8, func(i int) error { // also waits for the last interrupts
		_, err := l.run(t.Context(), ids[i], "None", nil)
		return err
	})
	hosttest.Eventually(t, "that nothing is left", func() bool {
		l.client.CloseIdleConnections()
		_, g, f := held(t)
		return g <= goroutines && f <= files
	})
	now, _, _ := held(t)
	t.Logf("after all of it: %d KiB more", (now-after)>>10)
}

// stream reads so many lines of output that come one by one, and asks for them in order.
func (l *loaded) stream(id string, n int) error {
	lines, err := l.run(l.t.Context(), id, fmt.Sprintf("for i in range(%d): print(i, flush=True)", n), nil)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, line := range lines {
		var out struct{ Type, Text string }
		if err := json.Unmarshal([]byte(line), &out); err != nil {
			return err
		}
		if out.Type == "stdout" {
			text.WriteString(out.Text)
		}
	}
	var want strings.Builder
	for i := range n {
		_, _ = fmt.Fprintln(&want, i) // it takes all
	}
	if text.String() != want.String() {
		return fmt.Errorf("%d bytes came, not %d", text.Len(), want.Len())
	}
	return nil
}

// leave runs code without an end and leaves at some moment. That the context is free for the
// next one shows that the code was interrupted.
func (l *loaded) leave(id string) error {
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Duration(rand.Int64N(int64(40*time.Millisecond))))
	defer cancel()
	_, err := l.run(ctx, id, "while True: print('on', flush=True)", nil)
	if err == nil {
		return fmt.Errorf("code without an end has ended")
	}
	return nil
}
