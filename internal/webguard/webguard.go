// Package webguard tells what a foreign web page made a browser send from what a program
// sent, and who knows a secret from who does not: for every listener of ours. It imports
// nothing of ours.
package webguard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Named tells whether a Host header names this server: by an address, which cannot be a
// foreign name, as localhost, or as one of names. Else a name may have been made to point
// here (DNS rebinding).
func Named(host string, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	return name == "" || strings.EqualFold(name, "localhost") || net.ParseIP(name) != nil ||
		slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// SameOrigin tells whether an Origin header is of a page that came from the Host itself.
func SameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// Same compares secrets in a time that tells nothing about them, not even their length.
func Same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// Bearer is the token of a request's Authorization header, "" for none.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
