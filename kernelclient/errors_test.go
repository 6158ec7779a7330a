package kernelclient

import "testing"

func TestDeathSaysWhy(t *testing.T) {
	for want, d := range map[string]Death{
		"the kernel ended with exit code 3: boom":                                          {Code: 3, Last: "boom"},
		"the kernel was killed by SIGSEGV":                                                 {Signal: "SIGSEGV"},
		"the kernel was killed by SIGKILL (out of memory?)":                                {Signal: "SIGKILL"},
		"the kernel was killed by SIGKILL: the system ran out of memory":                   {Signal: "SIGKILL", NoMem: true},
		"the kernel has ended (how was not seen: what had started it was gone): last word": {Unseen: true, Last: "last word"},
	} {
		if got := d.Error(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
