package kernelclient_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// sandboxed is a context whose name becomes known while it starts.
type sandboxed struct {
	kernelclient.Context
	name  atomic.Value
	ticks chan string // the name as of each batch
}

func (s *sandboxed) Info() kernelclient.ContextInfo {
	name, _ := s.name.Load().(string)
	return kernelclient.ContextInfo{Remote: name}
}

func (s *sandboxed) Follow(kernelclient.Cursor) kernelclient.Stream { return s }

func (s *sandboxed) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case name, ok := <-s.ticks:
		if !ok {
			return nil, io.EOF
		}
		s.name.Store(name)
		return []event.Event{{}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *sandboxed) Cursor() kernelclient.Cursor { return kernelclient.Cursor{} }

func (s *sandboxed) Close() error { return nil }

func TestAwaitRemote(t *testing.T) {
	s := &sandboxed{ticks: make(chan string, 3)}
	s.ticks <- ""
	s.ticks <- "box/1"
	if name, err := kernelclient.AwaitRemote(t.Context(), s); name != "box/1" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if name, err := kernelclient.AwaitRemote(t.Context(), s); name != "box/1" || err != nil {
		t.Errorf("%q, %v, though it is known", name, err)
	}
	ended := &sandboxed{ticks: make(chan string)}
	close(ended.ticks)
	if name, err := kernelclient.AwaitRemote(t.Context(), ended); name != "" || err != nil {
		t.Errorf("%q, %v, though it ended", name, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kernelclient.AwaitRemote(ctx, &sandboxed{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
