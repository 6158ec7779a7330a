package isolate

import (
	"strings"
	"testing"
)

// TestLoader: no library that a client names is loaded outside of the box.
func TestLoader(t *testing.T) {
	rest, args := withoutLoader([]string{"A=1", "LD_PRELOAD=/x.so", "B=LD_", "GLIBC_TUNABLES=y"})
	if got := strings.Join(rest, " ") + "|" + strings.Join(args, " "); got != "A=1 B=LD_|--setenv LD_PRELOAD /x.so --setenv GLIBC_TUNABLES y" {
		t.Error(got)
	}
}
