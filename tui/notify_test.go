package tui_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/tui"
)

const (
	focusGained = "\x1b[I"
	focusLost   = "\x1b[O"
)

func TestNotify(t *testing.T) {
	done := kernelclient.Outcome{Reason: event.Done}
	for name, c := range map[string]struct {
		notify  tui.Notify
		after   time.Duration
		env     []string
		focus   string
		outcome kernelclient.Outcome
		want    string // what rings, "" for nothing
	}{
		"bell":           {tui.NotifyBell, 0, nil, focusLost, done, "\a"},
		"looked at":      {tui.NotifyBell, 0, nil, focusLost + focusGained, done, ""},
		"never told":     {tui.NotifyBell, 0, nil, "", done, ""},
		"short":          {tui.NotifyBell, time.Hour, nil, focusLost, done, ""},
		"off":            {tui.NotifyOff, 0, nil, focusLost, done, ""},
		"osc9":           {tui.NotifyOSC9, 0, nil, focusLost, done, "\x1b]9;test.ipynb finished after "},
		"osc9 failed":    {tui.NotifyOSC9, 0, nil, focusLost, kernelclient.Outcome{Reason: event.Failed}, "\x1b]9;test.ipynb failed after "},
		"osc9 into tmux": {tui.NotifyOSC9, 0, []string{"TMUX=/tmp/x,1,0"}, focusLost, done, "\x1bPtmux;\x1b\x1b]9;test.ipynb finished after "},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, setup{
				file: file("a", "b"), notify: c.notify, notifyAfter: c.after, env: c.env,
				script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
					f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "it is over\n"})
					return c.outcome
				},
			})
			before := len(a.Bytes())
			a.Keys(c.focus, "ctrl+e")
			a.WaitFor("it is over") // WaitIdle would send a focus event of its own
			a.Type("q")
			a.quits(t, 0, "d") // what was to be sent has been sent then
			sent := a.Bytes()[before:]
			if c.want == "" {
				c.want = "\a"
				if bytes.Contains(sent, []byte(c.want)) || bytes.Contains(sent, []byte("]9;")) {
					t.Errorf("it rang: %q", sent)
				}
			} else if !bytes.Contains(sent, []byte(c.want)) {
				t.Errorf("it did not send %q: %q", c.want, sent)
			}
		})
	}
}
