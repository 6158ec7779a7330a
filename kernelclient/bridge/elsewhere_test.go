//go:build unix

package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// A client sees where a context of another machine runs and how long, and what is put off
// later; a cell's own language arrives there.
func TestContextElsewhere(t *testing.T) {
	soon := time.Now().Add(time.Minute).Round(0)
	fake := &hosttest.Fake{
		Remote: "r1", Expires: soon, Languages: true,
		Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "in " + r.Language})
			return kernelclient.Outcome{Reason: event.Done}
		},
	}
	host := &hosttest.Host{
		List:    []kernelclient.Kernel{{Name: "fake"}},
		Drive:   func(kernelclient.StartSpec) kernelclient.Driver { return fake },
		Address: "http://far:8888/",
	}
	p := place(t)
	run(t, p, Options{Host: func(Surroundings) (kernelclient.Host, error) { return host, nil }})
	k := start(t, connect(t, p))
	end, got := k.Ended(k.Submit("x", func(r *kernelclient.Request) { r.Language = "bash" }))
	if end.Reason != event.Done || hosttest.Words(got) != "stdout:in bash" {
		t.Errorf("%+v %s", end, hosttest.Words(got))
	}
	if i := k.Info(); i.Host != "http://far:8888/" || i.Remote != "r1" || !i.Expires.Equal(soon) || !k.Capabilities().Languages {
		t.Errorf("%+v %+v", i, k.Capabilities())
	}
	later := soon.Add(time.Hour)
	fake.Sink().Renew(kernelclient.Ready{Remote: "r1", Expires: later})
	k.Wait("the news", func(e event.Event) bool { return k.Info().Expires.Equal(later) })
}

func TestRetryAfterKept(t *testing.T) {
	got := decodeError(encodeError(&kernelclient.Error{Kind: kernelclient.RateLimited, What: "too much", RetryAfter: 7 * time.Second}))
	var own *kernelclient.Error
	if !errors.As(got, &own) || !errors.Is(got, kernelclient.RateLimited) || own.RetryAfter != 7*time.Second {
		t.Errorf("%#v", got)
	}
}
