package serve

import (
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// bodyTime is how long a request's body may take beside a second for each bodyRate bytes.
	// Whoever sends one byte now and then would hold a connection for ever.
	bodyTime = 30 * time.Second
	bodyRate = 4 << 10
	// manyAddresses is after how many the ones that wait for nothing are forgotten.
	manyAddresses = 1024
)

// rates bounds how many requests an address may make. A zero one bounds nothing.
type rates struct {
	perSecond float64

	mu sync.Mutex // guards of
	of map[string]*rate.Limiter
}

// wait is how long the sender of a request has to wait before it may come again, 0 if it
// may be served. An IPv6 network counts as one address: its users have as many as they like.
func (s *rates) wait(remote string, now time.Time) time.Duration {
	if s.perSecond <= 0 {
		return 0
	}
	l := s.limiter(network(remote), now)
	r := l.ReserveN(now, 1)
	delay := r.DelayFrom(now)
	if delay > 0 {
		r.CancelAt(now)
	}
	return delay
}

func (s *rates) limiter(address string, now time.Time) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of[address]
	if l != nil {
		return l
	}
	burst := max(1, int(math.Ceil(2*s.perSecond)))
	if len(s.of) >= manyAddresses {
		for a, have := range s.of {
			if have.TokensAt(now) >= float64(burst) {
				delete(s.of, a)
			}
		}
	}
	l = rate.NewLimiter(rate.Limit(s.perSecond), burst)
	if s.of == nil {
		s.of = map[string]*rate.Limiter{}
	}
	s.of[address] = l
	return l
}

func network(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil && !ip.IsLoopback() {
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}
	return host
}

// bounded refuses requests that come too often, and gives bodies their time.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if delay := s.rates.wait(r.RemoteAddr, time.Now()); delay > 0 {
			s.slowed.Add(1)
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(delay.Seconds()))))
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, "too many requests from this address") // the client is gone
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			body := &timed{ReadCloser: r.Body, control: http.NewResponseController(w), until: time.Now().Add(bodyTime)}
			_ = body.control.SetReadDeadline(body.until) // for one that nobody reads as well
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// timed is a body that has to come in time.
type timed struct {
	io.ReadCloser
	control *http.ResponseController
	until   time.Time
	ended   bool
}

// Read implements io.Reader. At the body's end the connection is without a deadline again: the
// server then waits on it for the client to leave.
func (b *timed) Read(p []byte) (int, error) {
	if b.ended {
		return b.ReadCloser.Read(p)
	}
	n, err := b.ReadCloser.Read(p)
	b.until = b.until.Add(time.Duration(n) * time.Second / bodyRate)
	if b.ended = err == io.EOF; b.ended {
		b.until = time.Time{}
	}
	_ = b.control.SetReadDeadline(b.until) // not every writer of a test has one
	return n, err
}
