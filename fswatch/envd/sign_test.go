package envd

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

const testToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// vectors were accepted by envd 0.6.13 itself.
var vectors = []struct {
	path    string
	op      Operation
	user    string
	expires int64
	want    string
}{
	{"/home/user/hello.txt", Read, "", 0, "v1_Q1oODJQwZxJOp+Cv9RJhuccjbZgB7bld8m4C4Z73S4w"},
	{"/home/user/my notes/ünï.ipynb", Write, "user", 4102444800, "v1_6ulIa0bdSglf1+O65bi3mFrfz68MGhacC/zrajfRv10"},
	{"", Write, "user", 0, "v1_tvdP/4Vm8EOIp/DnUFGZiffKzjFscreBn3W7W0LgoEM"},
	{"/home/user/hello.txt", Read, "", 1700000000, "v1_m5bPFbCjB4MlPhY5q5tazh06iDHDzWKb7aqrxElLe8A"},
}

func expiry(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

func TestVectors(t *testing.T) {
	base, _ := url.Parse("http://127.0.0.1:49983")
	for _, v := range vectors {
		got, err := Sign(v.path, v.op, v.user, testToken, expiry(v.expires))
		if err != nil || got != v.want {
			t.Errorf("%s %s: %s, %v; want %s", v.op, v.path, got, err, v.want)
		}
		signed, err := SignedURL(base, v.path, v.op, v.user, testToken, expiry(v.expires))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(signed)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(signed, testToken) {
			t.Error("the token is in the URL")
		}
		if err := verify(u.Query(), v.op, testToken, time.Unix(1699999999, 0)); err != nil {
			t.Errorf("%s is refused: %v", signed, err)
		}
	}
}

func TestNoTokenSignsNothing(t *testing.T) {
	if _, err := Sign("/x", Read, "", "", time.Time{}); !errors.Is(err, ErrNoToken) {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	v := vectors[1]
	now := time.Unix(v.expires, 0)
	good := func() url.Values {
		return url.Values{"path": {v.path}, "username": {v.user}, "signature": {v.want}, "signature_expiration": {"4102444800"}}
	}
	with := func(key, value string) url.Values {
		q := good()
		q.Set(key, value)
		return q
	}
	without := func(key string) url.Values {
		q := good()
		q.Del(key)
		return q
	}
	for _, c := range []struct {
		name string
		q    url.Values
		op   Operation
		now  time.Time
		want error
	}{
		{"good", good(), Write, now, nil},
		{"a second late", good(), Write, now.Add(time.Second), errExpired},
		{"other operation", good(), Read, now, errBadSignature},
		{"other path", with("path", "/home/user/my notes"), Write, now, errBadSignature},
		{"other user", with("username", "root"), Write, now, errBadSignature},
		{"no user", without("username"), Write, now, errBadSignature},
		{"later", with("signature_expiration", "4102444801"), Write, now, errBadSignature},
		{"for ever", without("signature_expiration"), Write, now, errBadSignature},
		{"padding", with("signature", v.want+"="), Write, now, errBadSignature},
		{"alphabet", with("signature", strings.NewReplacer("+", "-", "/", "_").Replace(v.want)), Write, now, errBadSignature},
		{"plus as space", with("signature", strings.ReplaceAll(v.want, "+", " ")), Write, now, errBadSignature},
		{"empty", with("signature", ""), Write, now, errBadSignature},
		{"none", without("signature"), Write, now, errNoSignature},
		{"wrong and late", with("path", "/"), Write, now.Add(time.Hour), errBadSignature},
	} {
		if err := verify(c.q, c.op, testToken, c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// FuzzVerify looks for a request that is let in without knowing the token.
func FuzzVerify(f *testing.F) {
	f.Add("path=/x&signature=v1_Q1oODJQwZxJOp%2BCv9RJhuccjbZgB7bld8m4C4Z73S4w")
	f.Add("signature=&signature=&signature_expiration=-1")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		if verify(q, Read, "a token that no input has", time.Unix(0, 0)) == nil {
			t.Errorf("%q was let in", query)
		}
	})
}
