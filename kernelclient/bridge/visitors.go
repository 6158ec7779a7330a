package bridge

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// lease is how long a client that has no stream, and did not say that it left, may come
// back: it has just been told where to begin, or its connection broke.
const lease = 10 * time.Minute

// visitor is a client as one context knows it.
type visitor struct {
	streams int       // that follow it now
	left    bool      // it said that it will not come back
	from    uint64    // the Seq that it surely has read
	gone    time.Time // when it was last heard of, while it has no stream
}

// visitors are a context's clients by their names. Server.mu guards them.
type visitors map[string]*visitor

// come notes a client that is about to follow the log from a place.
func (v visitors) come(name string, from uint64, now time.Time) *visitor {
	one := v[name]
	if one == nil {
		one = &visitor{from: from}
		v[name] = one
	}
	one.left, one.gone = false, now
	return one
}

// follow notes a stream that begins behind a place.
func (v visitors) follow(name string, after uint64, now time.Time) {
	one := v.come(name, after, now)
	if one.streams == 0 {
		one.from = after
	}
	one.from = min(one.from, after)
	one.streams++
}

// unfollow notes the end of a stream: whether what was written into it was read, nobody knows.
func (v visitors) unfollow(name string, now time.Time) {
	one := v[name]
	one.streams--
	one.gone = now
	if one.streams == 0 && one.left {
		delete(v, name)
	}
}

// leave notes that a client wants nothing more, though its streams may still be open.
func (v visitors) leave(name string) {
	one := v[name]
	switch {
	case one == nil:
	case one.streams == 0:
		delete(v, name)
	default:
		one.left = true
	}
}

// present counts those that have a stream.
func (v visitors) present() (n int) {
	for _, one := range v {
		if one.streams > 0 {
			n++
		}
	}
	return n
}

// had is the place up to which all have read; 0 while one of them has a stream. Those
// that were not heard of for long are forgotten.
func (v visitors) had(now time.Time) uint64 {
	at := uint64(math.MaxUint64)
	for name, one := range v {
		switch {
		case one.streams > 0:
			return 0
		case now.Sub(one.gone) > lease:
			delete(v, name)
		default:
			at = min(at, one.from)
		}
	}
	return at
}

// arrived notes a client that is told where the log is now, before it is told.
func (s *Server) arrived(k *kept, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.clients.come(r.Header.Get(clientHeader), k.Info().Last.Seq, time.Now())
}

// joined counts a client that follows a context until the returned func is called.
func (s *Server) joined(k *kept, client string, after uint64) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.clients.follow(client, after, time.Now())
	return func() {
		s.mu.Lock()
		k.clients.unfollow(client, time.Now())
		s.mu.Unlock()
		s.unburden(k)
	}
}

// leave answers a client that is done with a context.
func (s *Server) leave(k *kept, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	k.clients.leave(r.Header.Get(clientHeader))
	s.mu.Unlock()
	s.unburden(k)
	reply(w, struct{}{})
}

// unburden drops what was put out in a context that has a name and no notebook and that no
// client has still to read: nobody will ever say that a file has it.
func (s *Server) unburden(k *kept) {
	s.mu.Lock()
	i, had := k.Info(), k.clients.had(time.Now())
	s.mu.Unlock()
	i.Last.Seq = min(i.Last.Seq, had)
	if visitsOnly(i) && i.Running == 0 && i.Waiting == 0 && i.Last.Seq > i.Saved.Cursor.Seq {
		_ = k.Saved(context.Background(), kernelclient.SaveMark{Cursor: i.Last}) // a stopped one needs it no more
	}
}
