package envd

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/nbterm/nbterm/internal/webguard"
)

// Operation is what a signed URL allows.
type Operation string

// The operations.
const (
	Read  Operation = "read"  // GET /files
	Write Operation = "write" // POST /files
)

// ErrNoToken says that there is nothing to sign with: without an access token a server
// ignores signatures, so that a "signed" URL would protect nothing.
var ErrNoToken = errors.New("a signed URL needs the access token of the file service")

// Sign is the signature of one operation on one path, exactly as it will stand in the URL's
// path parameter, decoded. user is the username parameter, "" for none. A zero expires is for
// ever; otherwise the URL is valid until the end of that second.
func Sign(path string, op Operation, user, token string, expires time.Time) (string, error) {
	if token == "" {
		return "", ErrNoToken
	}
	until := ""
	if !expires.IsZero() {
		until = strconv.FormatInt(expires.Unix(), 10)
	}
	return signature(path, op, user, token, until), nil
}

// SignedURL is the address under which a file can be read or written without the token.
// base is the service's address. See Sign.
func SignedURL(base *url.URL, path string, op Operation, user, token string, expires time.Time) (string, error) {
	sig, err := Sign(path, op, user, token, expires)
	if err != nil {
		return "", err
	}
	q := url.Values{"path": {path}, "signature": {sig}}
	if user != "" {
		q.Set("username", user)
	}
	if !expires.IsZero() {
		q.Set("signature_expiration", strconv.FormatInt(expires.Unix(), 10))
	}
	u := *base.JoinPath("files")
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// signature is envd's: a hash over the parts, the expiration only where there is one.
func signature(path string, op Operation, user, token, expiration string) string {
	text := path + ":" + string(op) + ":" + user + ":" + token
	if expiration != "" {
		text += ":" + expiration
	}
	sum := sha256.Sum256([]byte(text))
	return "v1_" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// What is wrong with a signature. The words are envd's.
var (
	errNoSignature  = errors.New("missing signature query parameter")
	errBadSignature = errors.New("invalid signature")
	errExpired      = errors.New("signature is already expired")
	errWrongHeader  = errors.New("access token present in header but does not match")
)

// verify checks the signature of a request for contents. The value comes before the time:
// who cannot sign is not told what is still valid.
func verify(q url.Values, op Operation, token string, now time.Time) error {
	if !q.Has("signature") {
		return errNoSignature
	}
	until := q.Get("signature_expiration")
	if !webguard.Same(q.Get("signature"), signature(q.Get("path"), op, q.Get("username"), token, until)) {
		return errBadSignature
	}
	if until == "" {
		return nil
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil {
		return errBadSignature
	}
	if seconds < now.Unix() {
		return errExpired
	}
	return nil
}
