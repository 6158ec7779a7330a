package jupyter

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		text   string
		at     int // bytes
		points int
		back   int // the byte of points
	}{
		{"", 0, 0, 0},
		{"abc", 0, 0, 0},
		{"abc", 2, 2, 2},
		{"abc", 3, 3, 3},
		{"abc", 9, 3, 3},
		{"é=1", 2, 1, 2},
		{"é=1", 1, 0, 0},
		{"😀x", 4, 1, 4},
		{"😀x", 5, 2, 5},
		{"😀x", 2, 0, 0},
		{"a\xff\xfeb", 3, 2, 3},
		{"a\xff\xfeb", 2, 1, 1}, // one U+FFFD for the run
		{"\xed\xa0\xbdb", 3, 1, 3},
		{"\xff\xed\xa0\xbdb", 4, 2, 4}, // a lone surrogate
	} {
		if got := points(c.text, c.at); got != c.points {
			t.Errorf("points(%q, %d) = %d, want %d", c.text, c.at, got, c.points)
		}
		if got := offset(c.text, c.points); got != c.back {
			t.Errorf("offset(%q, %d) = %d, want %d", c.text, c.points, got, c.back)
		}
	}
	if got := offset("ab", 9); got != 2 {
		t.Errorf("past the end: %d", got)
	}
}

// answers makes a kernel answer questions of typ with content.
func answers(typ, content string, seen *Message) func(*fakeKernel) {
	return func(k *fakeKernel) {
		k.onControl = func(k *fakeKernel, m Message) {
			*seen = m
			k.status(m, "busy")
			k.status(m, "idle")
			k.say(Shell, m, typ+"_reply", content)
		}
	}
}

func TestComplete(t *testing.T) {
	var m Message
	reply := `{"status":"ok","cursor_start":4,"cursor_end":6,"matches":["abs","absent","abs"],
		"metadata":{"_jupyter_types_experimental":[{"text":"abs","type":"function"},{"text":"absent","type":"<unknown>"}]}}`
	withKernel(t, answers("complete", reply, &m), func(t *testing.T, d *driver, s *sink) {
		c, err := d.Complete(t.Context(), "😀é; ab", 10)
		if err != nil {
			t.Fatal(err)
		}
		if m.Channel != Shell || m.Header.Type != "complete_request" || string(m.Content) != `{"code":"\ud83d\ude00\u00e9; ab","cursor_pos":6}` {
			t.Errorf("asked %+v %s", m.Header, m.Content)
		}
		want := []kernelclient.Match{{Text: "abs", Type: "function"}, {Text: "absent"}}
		if c.Start != 8 || c.End != 10 || !slices.Equal(c.Matches, want) {
			t.Errorf("%+v", c)
		}
		if s.story() != "" {
			t.Errorf("it was told as\n%s", s.story())
		}
	})
}

func TestCompleteNonsense(t *testing.T) {
	for _, reply := range []string{
		`{}`, `{"matches":7,"cursor_start":"x"}`, `{"status":"ok","cursor_start":900,"cursor_end":-4,"matches":[{},null]}`,
		`{"cursor_start":2,"cursor_end":1}`, `[]`,
	} {
		if c := completion("ab", 2, []byte(reply)); c.Start > c.End || c.Start < 0 || c.End > 2 || len(c.Matches) != 0 {
			t.Errorf("%s: %+v", reply, c)
		}
	}
}

func TestInspectAndIsCompleteAndHistory(t *testing.T) {
	var m Message
	withKernel(t, answers("inspect", `{"status":"ok","found":true,"data":{"text/plain":"help"}}`, &m), func(t *testing.T, d *driver, _ *sink) {
		i, err := d.Inspect(t.Context(), "len", 3, 1)
		if text, _ := i.Data.Plain(); err != nil || !i.Found || text != "help" || string(m.Content) != `{"code":"len","cursor_pos":3,"detail_level":1}` {
			t.Errorf("%+v %v %s", i, err, m.Content)
		}
	})
	withKernel(t, answers("inspect", `{"status":"ok","found":false,"data":{}}`, &m), func(t *testing.T, d *driver, _ *sink) {
		if i, err := d.Inspect(t.Context(), "nope", 4, 0); err != nil || i.Found || i.Data != nil {
			t.Errorf("%+v %v", i, err)
		}
	})
	withKernel(t, answers("is_complete", `{"status":"incomplete","indent":"  "}`, &m), func(t *testing.T, d *driver, _ *sink) {
		c, err := d.IsComplete(t.Context(), "if x:")
		if want := (kernelclient.IsComplete{Status: kernelclient.CodeIncomplete, Indent: "  "}); err != nil || c != want {
			t.Errorf("%+v %v", c, err)
		}
	})
	withKernel(t, answers("is_complete", `{"status":"perhaps"}`, &m), func(t *testing.T, d *driver, _ *sink) {
		if c, err := d.IsComplete(t.Context(), "x"); err != nil || c.Status != kernelclient.CodeUnknown {
			t.Errorf("%+v %v", c, err)
		}
	})
	withKernel(t, answers("history", `{"status":"ok","history":[[1,2,"a"],[1,3],7,[1,4,"b"]]}`, &m), func(t *testing.T, d *driver, _ *sink) {
		h, err := d.History(t.Context(), kernelclient.HistoryQuery{Session: 1, Start: 2, Stop: 5})
		want := []kernelclient.HistoryEntry{{Session: 1, Line: 2, Input: "a"}, {Session: 1, Line: 4, Input: "b"}}
		if err != nil || !slices.Equal(h, want) || string(m.Content) != `{"output":false,"raw":true,"hist_access_type":"range","session":1,"start":2,"stop":5}` {
			t.Errorf("%+v %v %s", h, err, m.Content)
		}
	})
}

func TestHistoryRequest(t *testing.T) {
	for want, q := range map[string]kernelclient.HistoryQuery{
		`{"output":false,"raw":true,"hist_access_type":"tail","n":5}`:                                    {N: 5},
		`{"output":false,"raw":true,"hist_access_type":"search","unique":false,"pattern":"a*","n":1000}`: {Pattern: "a*"},
	} {
		if got := string(historyRequest(q)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestQuestionsThatFail(t *testing.T) {
	var m Message
	withKernel(t, answers("complete", `{"status":"error","ename":"ValueError","evalue":"bad"}`, &m), func(t *testing.T, d *driver, _ *sink) {
		_, err := d.Complete(t.Context(), "x", 1)
		if !errors.Is(err, kernelclient.Protocol) || err.Error() != "the kernel failed at the completion: ValueError: bad" {
			t.Error(err)
		}
	})
	withKernel(t, answers("complete", `{"status":"aborted"}`, &m), func(t *testing.T, d *driver, _ *sink) {
		if _, err := d.Complete(t.Context(), "x", 1); !errors.Is(err, kernelclient.ErrBusy) {
			t.Error(err)
		}
	})
}

func TestQuestionThatTheKernelDoesNotKnow(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onControl = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.status(m, "idle") }
	}, func(t *testing.T, d *driver, _ *sink) {
		began := time.Now()
		_, err := d.IsComplete(t.Context(), "x")
		if waited := time.Since(began); !errors.Is(err, kernelclient.NoAnswer) || waited != afterIdle {
			t.Errorf("%v after %s", err, waited)
		}
	})
}

func TestLateReplyIsDropped(t *testing.T) {
	var first Message
	withKernel(t, func(k *fakeKernel) {
		k.onControl = func(k *fakeKernel, m Message) {
			if first.Header.ID == "" {
				first = m
				return
			}
			k.say(Shell, first, "complete_reply", `{"status":"ok","matches":["late"]}`)
			k.say(Shell, m, "complete_reply", `{"status":"ok","matches":["asked for"]}`)
			k.say(Shell, m, "complete_reply", `{"status":"ok","matches":["twice"]}`)
		}
	}, func(t *testing.T, d *driver, s *sink) {
		began := time.Now()
		_, err := d.Complete(t.Context(), "x", 1)
		if waited := time.Since(began); !errors.Is(err, kernelclient.NoAnswer) || waited != defaultRequestTimeout {
			t.Errorf("%v after %s", err, waited)
		}
		c, err := d.Complete(t.Context(), "x", 1)
		if err != nil || len(c.Matches) != 1 || c.Matches[0].Text != "asked for" {
			t.Errorf("%+v %v", c, err)
		}
		synctest.Wait()
		if s.story() != "" {
			t.Errorf("it was told as\n%s", s.story())
		}
		if n := len(d.current().inquiries); n != 0 {
			t.Errorf("%d questions are left", n)
		}
	})
}

func TestQuestionIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(d *driver, cancel context.CancelFunc)
		want error
	}{
		"by its asker":   {func(_ *driver, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"by a restart":   {func(d *driver, _ context.CancelFunc) { _, _ = d.Restart(context.Background()) }, kernelclient.Gone},
		"by the death":   {func(d *driver, _ context.CancelFunc) { d.kernel().die() }, kernelclient.Gone},
		"by the closing": {func(d *driver, _ context.CancelFunc) { _ = d.Close(context.Background(), true) }, kernelclient.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			withKernel(t, func(*fakeKernel) {}, func(t *testing.T, d *driver, _ *sink) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				failed := make(chan error, 1)
				go func() { _, err := d.Complete(ctx, "x", 1); failed <- err }()
				synctest.Wait()
				c.end(d, cancel)
				if err := <-failed; !errors.Is(err, c.want) {
					t.Error(err)
				}
			})
		})
	}
}

func TestNothingIsAskedWhileCodeRuns(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onControl = func(_ *fakeKernel, m Message) {
			if m.Channel == Shell {
				t.Errorf("it was asked a %s", m.Header.Type)
			}
		}
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			time.Sleep(time.Second) // of the bubble's clock
			k.reply(m, "ok")
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, _ *sink) {
		out := behind(d, "a")
		synctest.Wait()
		began := time.Now()
		if _, err := d.Complete(t.Context(), "x", 1); !errors.Is(err, kernelclient.ErrBusy) || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if o := <-out; o.Reason != event.Done {
			t.Errorf("%+v", o)
		}
	})
}
