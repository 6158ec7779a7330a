package kernelclient_test

import (
	"context"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

func BenchmarkAlternatingLines(b *testing.B) {
	for b.Loop() {
		f := &hosttest.Fake{Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
			for range 200_000 {
				f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "a\n"})
				f.Sink().Emit(r.ID, event.Stream{Name: "stderr", Text: "b\n"})
			}
			return kernelclient.Outcome{Reason: event.Done}
		}}
		l := kernelclient.OpenLog(kernelclient.ContextInfo{}, f, kernelclient.LogOptions{})
		_ = l.Submit(b.Context(), kernelclient.Request{ID: "x"})
		s := l.Follow(kernelclient.Cursor{})
		n, batches := 0, 0
		for end := false; !end; {
			batch, err := s.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			batches++
			n += len(batch)
			_, end = batch[len(batch)-1].Body.(event.Ended)
		}
		b.ReportMetric(float64(batches), "batches")
		s.Close()
		l.Stop(context.Background(), true)
	}
}
