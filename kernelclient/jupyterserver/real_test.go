package jupyterserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
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
	if err := exec.Command(p, "-c", "import "+module()).Run(); err != nil {
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

// arguments are what the server of the peer group is started with.
func arguments(port, root string) []string {
	switch module() {
	case "kernel_gateway":
		return []string{"-m", "kernel_gateway", "--KernelGatewayApp.ip=127.0.0.1", "--KernelGatewayApp.port=" + port, "--KernelGatewayApp.auth_token=" + testToken, "--KernelGatewayApp.list_kernels=True"}
	case "enterprise_gateway":
		return []string{"-m", "enterprise_gateway", "--ip=127.0.0.1", "--port=" + port, "--EnterpriseGatewayApp.auth_token=" + testToken, "--EnterpriseGatewayApp.list_kernels=True", "--EnterpriseGatewayApp.unauthorized_users=nobody"}
	}
	return []string{"-m", "jupyter_server", "--ip=127.0.0.1", "--port=" + port, "--ServerApp.port_retries=0", "--no-browser", "--allow-root", "--ServerApp.root_dir=" + root}
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

func TestHost(t *testing.T) {
	s := serve(t)
	hosttest.Run(t, hosttest.Config{
		Host:   func(t *testing.T) kernelclient.Host { return host(t, s.url) },
		Kernel: "python3", Unseen: true, Displays: "from IPython.display import display, update_display",
	})
}

// Nothing is too large: a server sends what it is told to, whatever the size.
func TestLargeOutput(t *testing.T) {
	var more []string
	if !isGateway() {
		more = []string{"--ServerApp.token=" + testToken, "--ServerApp.iopub_data_rate_limit=0", "--ServerApp.iopub_msg_rate_limit=0"}
	}
	s := serve(t, more...)
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

func TestContextsAndAttach(t *testing.T) {
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
