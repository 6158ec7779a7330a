package tui_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func TestCellsNameTheFilesTheyWrote(t *testing.T) {
	var a *app
	a = open(t, setup{
		file: file("plot", "other"), made: true, beside: map[string]string{"old.txt": ""},
		script: func(_ context.Context, _ *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			if r.Code == "plot" {
				_ = os.WriteFile(a.at("plot.png"), []byte("x"), 0o600)
				_ = os.WriteFile(a.at(".hidden"), []byte("x"), 0o600)
				_ = os.WriteFile(a.path, []byte(file("plot", "other")), 0o600)
			}
			return kernelclient.Outcome{Reason: event.Done}
		},
	})
	long := a.at("old.txt")
	if err := os.Chtimes(long, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	a.Type("ctrl+j")
	a.WaitFor("wrote plot.png")
	a.hides("old.txt", ".hidden", "wrote plot.png, ")
}
