package debuglog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/debuglog"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSaysWhatHappenedAndNoSecrets(t *testing.T) {
	script := func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "secret output"})
		return kernelclient.Outcome{Reason: event.Done}
	}
	fake := &hosttest.Host{
		List:  []kernelclient.Kernel{{Name: "k"}},
		Drive: func(kernelclient.StartSpec) kernelclient.Driver { return &hosttest.Fake{Script: script} },
	}
	var b bytes.Buffer
	h := debuglog.Wrap(fake, slog.New(slog.NewTextHandler(&b, nil)))
	c := hosttest.Start(t, h, "k")
	if end, _ := c.Do("secret code"); end.Reason != event.Done {
		t.Fatal(end)
	}
	if err := c.Stop(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if !strings.Contains(got, "msg=start") || !strings.Contains(got, "state=idle") || !strings.Contains(got, "reason=done") {
		t.Errorf("log:\n%s", got)
	}
	if strings.Contains(got, "secret") {
		t.Errorf("the log tells secrets:\n%s", got)
	}
}
