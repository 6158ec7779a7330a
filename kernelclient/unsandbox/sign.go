package unsandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Sign is the signature of one request: the lower-case hex HMAC-SHA256, by the secret key,
// of timestamp, method, path and body with colons between them. The timestamp is in Unix
// seconds, the path the escaped one that is sent, the body exactly the bytes that are sent.
// Servers refuse timestamps that are more than five minutes off, so every attempt is signed
// anew.
func Sign(secret, timestamp, method, path string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range []string{timestamp, ":", method, ":", path, ":"} {
		mac.Write([]byte(part))
	}
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
