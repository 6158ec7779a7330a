package bridge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// keepBuffer is how large a buffer of a stream may be to be used again.
const keepBuffer = 1 << 20

// events streams a context's log as lines, each written as soon as it is there.
func (s *Server) events(k *kept, w http.ResponseWriter, r *http.Request) {
	after, err := parseCursor(r.URL.Query())
	if err != nil {
		refuse(w, err)
		return
	}
	defer s.joined(k, r.Header.Get(clientHeader), after.Seq)()
	stream := k.Follow(after)
	defer stream.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	every := beatOf(r.URL.Query())
	if every != beat {
		w.Header().Set(beatHeader, every.String())
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := writer{to: w, flush: http.NewResponseController(w).Flush}
	out.info(s.describe(k))
	for out.send() == nil {
		batch, err := nextWithin(ctx, stream, every)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, context.DeadlineExceeded):
			out.buf = append(out.buf, '\n') // the client hears that we are there
		case errors.Is(err, io.EOF):
			out.info(s.describe(k))
			out.buf = append(out.buf, jsonLine(line{Line: endLine})...)
			_ = out.send() // the last line
			return
		case err != nil:
			out.buf = append(out.buf, jsonLine(line{Line: errorLine, Error: encodeError(err)})...)
			_ = out.send()
			return
		}
		if changesInfo(batch) {
			out.info(s.describe(k))
		}
		for _, e := range batch {
			out.buf = append(e.AppendJSON(out.buf), '\n')
		}
	}
}

// nextWithin waits for events no longer than a heartbeat.
func nextWithin(ctx context.Context, stream kernelclient.Stream, every time.Duration) ([]event.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	return stream.Next(ctx)
}

// beatOf is how often a client wants to hear that the server is there: over a network it is
// to notice sooner that nothing comes through any more.
func beatOf(q url.Values) time.Duration {
	if d, err := time.ParseDuration(q.Get(beatQuery)); err == nil && d >= quickBeat && d < beat {
		return d
	}
	return beat
}

// changesInfo tells whether events change what a context is described by.
func changesInfo(batch []event.Event) bool {
	for _, e := range batch {
		if _, ok := e.Body.(event.State); ok {
			return true
		}
	}
	return false
}

// writer gathers the lines of one flush.
type writer struct {
	to    io.Writer
	flush func() error
	buf   []byte
}

func (o *writer) info(d contextWire) {
	o.buf = append(o.buf, jsonLine(line{Line: infoLine, Info: &d})...)
}

func (o *writer) send() error {
	_, err := o.to.Write(o.buf)
	if cap(o.buf) > keepBuffer {
		o.buf = nil
	}
	o.buf = o.buf[:0]
	if err != nil {
		return err
	}
	return o.flush()
}
