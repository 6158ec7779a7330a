package unsandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// KeyInfo is what the service says of a pair of keys.
type KeyInfo struct {
	Valid       bool      `json:"valid"`
	Reason      string    `json:"reason,omitempty"` // why not: "invalid_key", "expired", "suspended"
	Message     string    `json:"message,omitempty"`
	Tier        string    `json:"tier,omitempty"`
	Status      string    `json:"status,omitempty"`
	PublicKey   string    `json:"public_key,omitempty"`
	Rate        int       `json:"rate_per_minute,omitempty"`
	Burst       int       `json:"burst,omitempty"`
	Concurrency int       `json:"concurrency,omitempty"`
	Until       time.Time `json:"valid_through,omitzero"`
	Left        string    `json:"valid_for,omitempty"`
	Expired     time.Time `json:"expired_at,omitzero"`
	Renew       string    `json:"renew_url,omitempty"`
	Source      string    `json:"source"` // where the keys were found
}

// Validate asks whether the keys are good, and what they allow. A no is no error, whatever
// status it comes with.
func (c *Client) Validate(ctx context.Context) (KeyInfo, error) {
	a, err := c.do(ctx, call{method: http.MethodPost, path: "/keys/validate", limit: limitSubmit})
	var refused *APIError
	if err != nil && (!errors.As(err, &refused) || refused.Skew != 0 || refused.Status >= 500) {
		return KeyInfo{}, err
	}
	var o object
	if json.Unmarshal(a.body, &o) != nil || o.first("valid") == nil {
		if err != nil {
			return KeyInfo{}, err
		}
		return KeyInfo{}, notUnderstood("/keys/validate", nil)
	}
	creds, _ := c.Credentials()
	return KeyInfo{
		Valid: o.yes("valid"), Reason: o.str("reason"), Message: textOrMessage(o.first("error", "message")), Tier: o.str("tier"),
		Status: o.str("status"), PublicKey: "…" + creds.Public[max(0, len(creds.Public)-4):], Rate: o.num("rate_per_minute"),
		Burst: o.num("burst"), Concurrency: o.num("concurrency"), Until: o.when("valid_through_datetime"),
		Left: o.str("valid_for_human"), Expired: o.when("expired_at_datetime"), Renew: o.str("renew_url"), Source: creds.Source,
	}, nil
}

// Healthy asks whether the service lives. It is the one request that is not signed.
func (c *Client) Healthy(ctx context.Context) error {
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/health", limit: 10 * time.Second, open: true})
	return err
}
