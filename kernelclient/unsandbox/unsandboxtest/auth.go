package unsandboxtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxSkew is how far off the time of a request may be.
const maxSkew = 300 * time.Second

// verify tells why a request is not taken, "" if it is, and whether its signature covers its query.
func (s *Server) verify(r *http.Request, body []byte) (why string, query bool) {
	if r.URL.Path == "/health" {
		return "", false
	}
	if isShell(r) && r.Header.Get("Authorization") == "" && !s.is(r, "session", "wsauth") {
		return "", false // the id of a session is enough for some clients
	}
	for _, h := range []string{"Authorization", "X-Timestamp", "X-Signature"} {
		if r.Header.Get(h) == "" {
			return "missing " + h, false
		}
	}
	public, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	secret, known := s.opt.Keys[public]
	if !ok || !known {
		return "unknown key", false
	}
	timestamp := r.Header.Get("X-Timestamp")
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if now := s.opt.Now().Add(s.clock()); err != nil || now.Sub(time.Unix(at, 0)).Abs() > maxSkew {
		return "the timestamp is too far from the server's", false
	}
	given := r.Header.Get("X-Signature")
	match := func(path string) bool {
		return hmac.Equal([]byte(given), []byte(sum(secret, timestamp+":"+r.Method+":"+path+":", body)))
	}
	path := r.URL.EscapedPath()
	if s.opt.Query != "with" && match(path) || r.URL.RawQuery == "" && match(path) {
		return "", false
	}
	if s.opt.Query != "without" && r.URL.RawQuery != "" && match(path+"?"+r.URL.RawQuery) {
		return "", true
	}
	return "invalid signature", false
}

func sum(secret, head string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(head))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
