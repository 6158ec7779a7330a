package session

import "time"

// Where says on which host the kernel runs, "" for this machine and before Start, and when
// that host ends it, zero for never or not known.
func (s *Session) Where() (host string, expires time.Time) {
	if s.ctx == nil {
		return "", time.Time{}
	}
	i := s.ctx.Info()
	return i.Host, i.Expires
}
