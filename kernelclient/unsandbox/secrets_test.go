package unsandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/kernelclient/unsandbox/unsandboxtest"
)

// TestNoSecretIsTold: whatever goes wrong, the secret key is in no event, no description of a
// context, no error and no file. That it is never sent is checked after every test.
func TestNoSecretIsTold(t *testing.T) {
	var told strings.Builder
	for _, scenario := range []string{
		"", "submit=401", "submit=401skew", "submit=403", "submit=500html", "submit=badjson", "submit=reset", "submit=redirect",
		"poll=401", "poll=503then404", "poll=404", "execute=nothing async=404", "execute=failed-error async=404",
	} {
		h, s := host(t, unsandboxtest.Options{}, nil)
		k := hosttest.Start(t, h, "python")
		set(t, s, scenario)
		end, events := k.Do("print(1)")
		for _, e := range append(events, event.Event{Body: end}) {
			told.Write(e.AppendJSON(nil))
		}
		info := k.Info()
		told.WriteString(info.Host + info.Kernel.Found + info.Kernel.DisplayName + string(info.Language))
		notes, _ := os.ReadFile(h.opt.JobLog) // there is none where nothing was taken
		told.Write(notes)
		_, err := h.Start(t.Context(), kernelclient.StartSpec{Kernel: "nothing"})
		told.WriteString(err.Error())
	}
	if text := told.String(); strings.Contains(text, unsandboxtest.SecretKey) || strings.Contains(text, "unsb-sk") || len(text) < 2000 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}
