package jupyterserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/hosttest/relay"
)

// server is a real Jupyter server on a loopback port.
type server struct {
	url  string
	host string // host:port
	cmd  *exec.Cmd
	log  string
	args []string
	dir  string
}

const testToken = "tok-for-tests-123"

// testPython is a Python that has the server of the peer group. Outside of such a group the
// tests on real servers are skipped.
func testPython(t testing.TB) string {
	t.Helper()
	if module() == "" {
		t.Skip("make test-peers GROUP=jupyterserver runs it")
	}
	p := os.Getenv("NBTERM_TEST_PYTHON")
	if err := exec.Command(p, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)", module()).Run(); err != nil {
		t.Fatalf("%q has no %s: %v", p, module(), err)
	}
	return p
}

// module is what serves in the peer group, "" in none.
func module() string {
	switch group := os.Getenv("NBTERM_TEST_PEER"); {
	case strings.HasPrefix(group, "jupyterserver"):
		return "jupyter_server"
	case group == "kernelgateway":
		return "kernel_gateway"
	case group == "enterprisegateway":
		return "enterprise_gateway"
	}
	return ""
}

// isGateway tells whether the server has kernels and nothing else.
func isGateway() bool { return module() != "jupyter_server" }

// arguments are what the server of the peer group is started with: it lets through all that
// a kernel says, and tells which kernels it runs.
func arguments(port, root string) []string {
	switch module() {
	case "kernel_gateway":
		return []string{
			"-m", module(), "--KernelGatewayApp.ip=127.0.0.1", "--KernelGatewayApp.port=" + port, "--KernelGatewayApp.auth_token=" + testToken,
			"--JupyterWebsocketPersonality.list_kernels=True", "--ZMQChannelsWebsocketConnection.limit_rate=False",
		}
	case "enterprise_gateway":
		return []string{
			"-m", module(), "--ip=127.0.0.1", "--port=" + port, "--EnterpriseGatewayApp.auth_token=" + testToken,
			"--EnterpriseGatewayApp.list_kernels=True", "--EnterpriseGatewayApp.unauthorized_users=nobody",
		}
	}
	args := []string{"-m", module(), "--ip=127.0.0.1", "--port=" + port, "--ServerApp.port_retries=0", "--no-browser", "--allow-root", "--ServerApp.root_dir=" + root}
	if os.Getenv("NBTERM_TEST_PEER") == "jupyterserver1" {
		return append(args, "--ServerApp.iopub_data_rate_limit=0", "--ServerApp.iopub_msg_rate_limit=0")
	}
	return append(args, "--ZMQChannelsWebsocketConnection.limit_rate=False")
}

// serve starts a server with its root in a folder of the test.
func serve(t testing.TB, args ...string) *server {
	t.Helper()
	testPython(t)
	s := &server{dir: t.TempDir(), args: args}
	if len(args) == 0 && !isGateway() {
		s.args = []string{"--ServerApp.token=" + testToken}
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.host = port.Addr().String()
	s.url = "http://" + s.host
	_ = port.Close()
	s.log = filepath.Join(t.TempDir(), "log")
	s.run(t)
	t.Cleanup(func() { s.stop(t) })
	return s
}

// run starts the server's process and waits until it answers.
func (s *server) run(t testing.TB) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.host)
	s.cmd = exec.Command(testPython(t), append(arguments(port, s.dir), s.args...)...) //nolint:gosec // a test's own
	home, cache := t.TempDir(), os.Getenv("XDG_CACHE_HOME")
	if cache == "" { // what completion parses is of use to all tests
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	s.cmd.Env = append(os.Environ(), "HOME="+home, "JUPYTER_RUNTIME_DIR="+home, "JUPYTER_CONFIG_DIR="+home, "IPYTHONDIR="+home, "XDG_CACHE_HOME="+cache)
	s.cmd.Dir = s.dir
	if !isGateway() {
		s.cmd.Dir = home // files begin at the root all the same
	}
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", s.host)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			words, _ := os.ReadFile(s.log)
			t.Fatalf("the server does not start: %s", words)
		}
	}
}

// stop ends the server as its user would.
func (s *server) stop(t testing.TB) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait()
	timer.Stop()
	s.cmd = nil
	if words, _ := os.ReadFile(s.log); t.Failed() {
		t.Logf("the server's log:\n%s", words)
	}
}

// kill ends the server without a word.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

func host(t testing.TB, url string, more ...func(*Options)) *Host {
	t.Helper()
	opt := Options{URL: url, Token: testToken}
	for _, f := range more {
		f(&opt)
	}
	h, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRealHost(t *testing.T) {
	s := serve(t)
	hosttest.Run(t, hosttest.Config{
		Host:   func(t *testing.T) kernelclient.Host { return host(t, s.url) },
		Kernel: "python3", Unseen: true, Displays: "from IPython.display import display, update_display",
	})
}

// Nothing is too large: a server sends what it is told to, whatever the size.
func TestRealLargeOutput(t *testing.T) {
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	k := hosttest.Start(t, h, "python3")
	end, events := k.Do("from IPython.display import display\ndisplay({'image/png': 'iVBO' * (4 << 20)}, raw=True)\nprint('x' * 100_000_000)")
	words := hosttest.Words(events)
	if end.Reason != event.Done || len(words) < 100_000_000 || strings.Contains(words, "gap") {
		t.Fatalf("%+v, %d bytes", end, len(words))
	}
	for _, e := range events {
		if d, ok := e.Body.(event.Display); ok {
			if picture := d.Data.Get("image/png").Str(); len(picture) != 16<<20 {
				t.Errorf("the picture has %d bytes", len(picture))
			}
		}
	}
}

func TestRealContexts(t *testing.T) {
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	k := hosttest.Start(t, h, "python3")
	k.Do("x = 41")
	other := host(t, s.url)
	defer other.Close()
	list, err := other.Contexts(context.Background())
	if err != nil || len(list) != 1 || !list[0].Foreign {
		t.Fatalf("%+v, %v", list, err)
	}
	joined, err := other.Attach(context.Background(), list[0].ID)
	j := hosttest.Joined(t, joined, err)
	if _, events := j.Do("x + 1"); hosttest.Words(events) != "result:42" {
		t.Errorf("the joined kernel gave %q", hosttest.Words(events))
	}
	if got := fmt.Sprintf("%+v", list) + s.url; strings.Contains(got, testToken) {
		t.Error("the token shows")
	}
}

// A kernel begins where the server's files do, wherever the server was started, so that what
// is put there is at hand.
func TestRealFolder(t *testing.T) {
	if isGateway() {
		t.Skip("a gateway has no files")
	}
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	started, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3"})
	k := hosttest.Joined(t, started, err)
	k.Do("pass") // it is ready then
	root, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if dir, err := kernelclient.FolderOf(t.Context(), k.Ask()); err != nil || dir != root {
		t.Errorf("the kernel began in %q, not at the root %s: %v", dir, root, err)
	}
}

// The server's buffer is real here. What it had sent when the link was cut may be lost, what
// it keeps after that is not: output goes on, and a gap is told if and only if there is one.
func TestRealCut(t *testing.T) {
	s := serve(t)
	r := relay.New(t, s.host)
	h := host(t, "http://"+r.Addr())
	h.client.times = quick()
	h.client.times.silent = 20 * time.Second
	defer h.Close()
	k := hosttest.Start(t, h, "python3")
	gate := filepath.Join(t.TempDir(), "go")
	id := k.Submit(fmt.Sprintf("import os, time\nfor i in range(300):\n    print('line', i, flush=True)\n    time.sleep(0.01)\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint('end')", gate))
	begun, first := k.Wait("line 20", text("line 20\n"))
	events := append(first, begun)
	r.Refuse(true)
	r.Cut()
	_, next := k.Wait("the loss", state(event.Reconnecting))
	events = append(events, next...)
	r.Refuse(false)
	hit, next := k.Wait("line 299", text("line 299\n"))
	events = append(append(events, next...), hit)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	end, last := k.Ended(id)
	whole := "stdout:"
	for i := range 300 {
		whole += fmt.Sprintf("line %d\n", i)
	}
	words := hosttest.Words(append(events, last...))
	switch before, after, gap := strings.Cut(words, "|gap:the connection was broken here; output may be missing|stdout:"); {
	case end.Reason != event.Done || !strings.HasSuffix(words, "\nend\n"):
		t.Errorf("%+v %q", end, words)
	case !gap && words != whole+"end\n":
		t.Errorf("without a word something is missing: %q", words)
	case gap && (before+after == whole+"end\n" || !strings.HasPrefix(whole, before) || !strings.HasSuffix(whole+"end\n", "\n"+after)):
		t.Errorf("it is told wrongly where something is missing: %q", words)
	}
	if _, events := k.Do("print('next')"); hosttest.Words(events) != "stdout:next\n" {
		t.Errorf("the next run gave %q", hosttest.Words(events))
	}
}

// A server that is started anew has none of its kernels.
func TestRealServerRestarted(t *testing.T) {
	s := serve(t)
	h := host(t, s.url)
	h.client.times = quick()
	h.client.times.silent = 20 * time.Second
	defer h.Close()
	k := hosttest.Start(t, h, "python3")
	k.Do("x = 1")
	s.kill() // told to end, it would tell its kernels to, and those us
	k.Wait("the loss", state(event.Reconnecting))
	s.run(t)
	hit, _ := k.Wait("the kernel's end", state(event.Dead))
	if detail := hit.Body.(event.State).Detail; !strings.Contains(detail, "no such kernel") {
		t.Errorf("it says %q", detail)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Do("print('new')"); hosttest.Words(events) != "stdout:new\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
}

// A notebook goes to the server and back byte by byte.
func TestRealFile(t *testing.T) {
	if isGateway() {
		t.Skip("gateways have no files")
	}
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	want := "{\n\t\"cells\": [],  \"metadata\": {\"x\": 1.50, \"y\": NaN},\r\n \"nbformat\":4,\"nbformat_minor\":5}\n\n"
	for _, text := range []string{want, want + "ä", "\xff\xfe no UTF-8"} {
		f := h.File("notes é/x y.ipynb")
		if err := os.MkdirAll(filepath.Join(s.dir, "notes é"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(s.dir, "notes é", "x y.ipynb")); err != nil || string(data) != text {
			t.Errorf("%q lies there, %v", data, err)
		}
		data, v, err := f.Read()
		if err != nil || string(data) != text || v.Modified == "" {
			t.Errorf("%q was read, %+v, %v", data, v, err)
		}
		if now, err := f.Stat(); err != nil || now != v {
			t.Errorf("%+v, then %+v, %v", v, now, err)
		}
	}
	if _, err := h.File("none.ipynb").Stat(); !errors.Is(err, kernelclient.NotFound) {
		t.Error(err)
	}
	if _, _, err := h.File("notes é").Read(); !errors.Is(err, ErrFolder) {
		t.Error(err)
	}
}

func TestRealSurroundings(t *testing.T) {
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	dir := t.TempDir()
	k := hosttest.Follow(t, h, kernelclient.StartSpec{Kernel: "python3", Dir: dir, Env: []string{"FROM_USER=a 'b\""}, StartupTimeout: time.Minute})
	if end, events := k.Do("import os; (os.environ['FROM_USER'], os.getcwd() == os.path.realpath(" + strconv.Quote(dir) + "))"); end.Count != 1 || hosttest.Words(events) != `result:('a \'b"', True)` {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
}

// Who leaves a kernel that runs does not stop it, and who comes back sees that it is busy.
func TestRealLeaveAndComeBack(t *testing.T) {
	s := serve(t)
	h := host(t, s.url)
	defer h.Close()
	k, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "python3", Dir: s.dir, StartupTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	first := hosttest.Joined(t, k, nil)
	gate := filepath.Join(t.TempDir(), "go")
	first.Submit(fmt.Sprintf("import os, time\nprint('on', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\nx = 42", gate))
	first.Wait("its start", text("on"))
	other := host(t, s.url)
	defer other.Close()
	joined, err := other.Attach(t.Context(), kernelclient.ContextID(k.Info().Remote))
	second := hosttest.Joined(t, joined, err)
	second.Wait("the other's run", state(event.Busy))
	if err := second.Stop(t.Context(), false); err != nil { // it goes on
		t.Fatal(err)
	}
	joined, err = other.Attach(t.Context(), kernelclient.ContextID(k.Info().Remote))
	third := hosttest.Joined(t, joined, err)
	third.Wait("the other's run", state(event.Busy))
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	third.Wait("its end", state(event.Idle))
	if _, events := third.Do("x"); hosttest.Words(events) != "result:42" {
		t.Errorf("%q", hosttest.Words(events))
	}
}
