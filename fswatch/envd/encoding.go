package envd

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// errNotAcceptable says that a client takes nothing that there is.
var errNotAcceptable = errors.New("error parsing Accept-Encoding: no acceptable encoding found, supported: [gzip]")

// coding is one part of an Accept-Encoding header.
type coding struct {
	name string
	q    float64
}

func codings(header string) []coding {
	var list []coding
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		c := coding{name: strings.ToLower(strings.TrimSpace(name)), q: 1}
		if c.name == "" {
			continue
		}
		if value, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q="); ok {
			if q, err := strconv.ParseFloat(value, 64); err == nil {
				c.q = q
			}
		}
		list = append(list, c)
	}
	return list
}

// wantsGzip chooses between gzip and the bytes as they are, as envd does: the best weight
// first, equal ones as written, "*" alone meaning the bytes. plain says that only the bytes
// as they are can be sent, because a part of them was asked for.
func wantsGzip(header string, plain bool) (bool, error) {
	list := codings(header)
	refused, listed, noGzip := false, false, false
	for _, c := range list {
		switch {
		case c.name == "identity":
			listed, refused = true, c.q <= 0
		case c.name == "*" && c.q <= 0 && !listed:
			refused = true
		case c.name == "gzip" && c.q <= 0:
			noGzip = true
		}
	}
	if plain {
		if refused {
			return false, errNotAcceptable
		}
		return false, nil
	}
	slices.SortStableFunc(list, func(a, b coding) int { return cmp.Compare(b.q, a.q) })
	for _, c := range list {
		switch {
		case c.q <= 0:
		case c.name == "gzip", c.name == "*" && refused && !noGzip:
			return true, nil
		case c.name == "identity", c.name == "*" && !refused:
			return false, nil
		}
	}
	if refused {
		return false, errNotAcceptable
	}
	return false, nil
}
