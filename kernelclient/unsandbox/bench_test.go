//go:build unix

package unsandbox

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// BenchmarkHost has a round trip and 100,000 lines on each of the kernels, beside the same
// jobs by the second signer in Python, which keeps no pauses between its polls. Most of a
// job's round trip is the first pause of the schedule, 300 ms.
func BenchmarkHost(b *testing.B) {
	python := testPython(b)
	s := serve(b, unsandboxtest.Options{Run: true, Python: python})
	env := s.Env(b.TempDir())
	h, err := New(Options{Env: env})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	for name, code := range map[string]string{"round trip": "print(1)", "100,000 lines": "for i in range(100000): print(i, 'x' * 60)"} {
		for _, kernel := range []string{"python", KernelFiles, KernelSession} {
			b.Run(name+"/"+kernel, func(b *testing.B) {
				k := hosttest.Start(b, h, kernel)
				k.Do("pass")
				for b.Loop() {
					if end, _ := k.Do(code); end.Reason != event.Done {
						b.Fatal(end)
					}
				}
			})
		}
		b.Run(name+"/reference", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), python, "-S", "testdata/client.py", code)
				cmd.Env = append(os.Environ(), env...)
				if out, err := cmd.Output(); err != nil {
					b.Fatal(fmt.Sprintf("%.200s", out), err)
				}
			}
		})
	}
}
