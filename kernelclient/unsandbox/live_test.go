//go:build unix

package unsandbox

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// TestLiveKernel is the whole suite of hosts, on a Python in a session.
func TestLiveKernel(t *testing.T) {
	testPython(t)
	hosttest.Run(t, hosttest.Config{
		Host: func(t *testing.T) kernelclient.Host {
			h, _ := host(t, unsandboxtest.Options{Run: true}, nil)
			return h
		},
		Kernel: KernelSession, Displays: "from IPython.display import display, update_display",
	})
}

// TestLiveKernelOutlastsItsConnection: with a multiplexer nothing is lost or doubled.
func TestLiveKernelOutlastsItsConnection(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Run: true}, func(o *Options) { o.Settings.Multiplexer = "tmux" })
	k := hosttest.Start(t, h, KernelSession)
	k.Do("x = 41")
	for _, frames := range []int{1, 3, 10} {
		s.DropShells(frames)
		end, events := k.Do("for i in range(3000): print('line', i)\nx += 1")
		var want strings.Builder
		for i := range 3000 {
			want.WriteString("line " + itoa(i) + "\n")
		}
		if got := strings.TrimPrefix(hosttest.Words(events), "stdout:"); end.Reason != event.Done || got != want.String() {
			t.Errorf("after %d frames: %+v, %d bytes for %d: %.200q", frames, end, len(got), want.Len(), got)
		}
	}
	if _, events := k.Do("print(x)"); hosttest.Words(events) != "stdout:44\n" {
		t.Errorf("%q", hosttest.Words(events))
	}
	n := 0
	for _, call := range calls(s) {
		if strings.HasSuffix(call, "/shell") {
			n++
		}
	}
	if n != 4 {
		t.Errorf("connected %d times", n)
	}
}

// TestLiveKernelInTmux: a real multiplexer paints what it likes, and the kernel does not mind.
func TestLiveKernelInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" || os.Getenv("NBTERM_TEST_REQUIRE") != "" {
			t.Fatal("there is no tmux")
		}
		t.Skip("there is no tmux")
	}
	h, s := host(t, unsandboxtest.Options{Run: true, Tmux: true}, func(o *Options) { o.Settings.Multiplexer = "tmux" })
	k := hosttest.Start(t, h, KernelSession)
	k.Do("x = 41")
	for _, frames := range []int{0, 20} {
		s.DropShells(frames)
		end, events := k.Do("for i in range(2000): print('line', i)\nx += 1")
		var want strings.Builder
		for i := range 2000 {
			want.WriteString("line " + itoa(i) + "\n")
		}
		if got := strings.TrimPrefix(hosttest.Words(events), "stdout:"); end.Reason != event.Done || got != want.String() {
			t.Errorf("after %d frames: %+v, %d bytes for %d: %.200q", frames, end, len(got), want.Len(), got)
		}
	}
	if _, events := k.Do("print(x)"); hosttest.Words(events) != "stdout:43\n" {
		t.Errorf("%q", hosttest.Words(events))
	}
}

// TestLiveKernelDiesWithItsConnection: without a multiplexer its variables are gone, and that is said.
func TestLiveKernelDiesWithItsConnection(t *testing.T) {
	h, s := host(t, unsandboxtest.Options{Run: true}, nil)
	k := hosttest.Start(t, h, KernelSession)
	k.Do("x = 41")
	info := k.Info()
	if info.Remote == "" || time.Until(info.Expires) < 50*time.Minute {
		t.Errorf("%+v", info)
	}
	s.DropShells(1)
	if end, _ := k.Do("print(x)"); end.Reason != event.Died || !strings.Contains(end.Detail, "variables") {
		t.Errorf("%+v", end)
	}
	if err := k.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end, events := k.Do("print('x' in globals())"); end.Reason != event.Done || hosttest.Words(events) != "stdout:False\n" {
		t.Errorf("%+v %q", end, hosttest.Words(events))
	}
	if err := k.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if all, err := h.client.Sessions(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("left over: %v %v", all, err)
	}
}
