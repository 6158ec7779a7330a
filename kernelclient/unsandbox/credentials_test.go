package unsandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
)

// place is a home folder and a current one with key files in them.
type place struct {
	home, dir string
	env       map[string]string
	asked     int
	yes       bool
	warned    []string
}

func newPlace(t *testing.T, home, local string) *place {
	p := &place{home: t.TempDir(), dir: t.TempDir(), env: map[string]string{}, yes: true}
	p.env["HOME"] = p.home
	for file, text := range map[string]string{filepath.Join(p.home, ".unsandbox", accountsFile): home, filepath.Join(p.dir, accountsFile): local} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *place) lookup() Lookup {
	return Lookup{
		Env: func(name string) string { return p.env[name] }, Dir: p.dir,
		Confirm: func(string) (bool, error) { p.asked++; return p.yes, nil },
		Warn:    func(line string) { p.warned = append(p.warned, line) },
	}
}

func TestCredentialsOrder(t *testing.T) {
	const two = "pk1,sk1\npk2,sk2\n"
	for _, c := range []struct {
		name, home, local string
		set               func(*place, *Lookup)
		want              string // public/secret from source, or a part of the error
	}{
		{name: "arguments", home: two, set: func(p *place, l *Lookup) { l.Public, l.Secret = "a", "b"; p.env[EnvPublicKey] = "x" }, want: "a/b the given keys"},
		{name: "half of the arguments", set: func(p *place, l *Lookup) { l.Public = "a"; p.env[EnvPublicKey], p.env[EnvSecretKey] = "x", "y" }, want: "x/y env"},
		{name: "environment", home: two, set: func(p *place, _ *Lookup) { p.env[EnvPublicKey], p.env[EnvSecretKey] = "x", "y" }, want: "x/y env"},
		{name: "half of the environment", home: two, set: func(p *place, _ *Lookup) { p.env[EnvPublicKey] = "x" }, want: "pk1/sk1 ~/.unsandbox/accounts.csv#0"},
		{name: "blanks", set: func(p *place, _ *Lookup) { p.env[EnvPublicKey], p.env[EnvSecretKey] = "x ", "y\n" }, want: "x/y env"},
		{name: "account before environment", home: two, set: func(p *place, l *Lookup) {
			l.Account = "1"
			p.env[EnvPublicKey], p.env[EnvSecretKey] = "x", "y"
		}, want: "pk2/sk2 ~/.unsandbox/accounts.csv#1"},
		{name: "account that is none", home: two, set: func(p *place, l *Lookup) {
			l.Account = "9"
			p.env[EnvPublicKey], p.env[EnvSecretKey] = "x", "y"
		}, want: "account 9"},
		{name: "account of the folder", home: "a,b", local: two, set: func(_ *place, l *Lookup) { l.Account = "1" }, want: "pk2/sk2 ./accounts.csv#1"},
		{name: "home before folder", home: "a,b", local: two, want: "a/b ~/.unsandbox/accounts.csv#0"},
		{name: "row of the environment", home: "a,b", local: two, set: func(p *place, _ *Lookup) { p.env[EnvAccount] = " 1 " }, want: "pk2/sk2 ./accounts.csv#1"},
		{name: "row that is no number", home: two, set: func(p *place, _ *Lookup) { p.env[EnvAccount] = "x" }, want: "UNSANDBOX_ACCOUNT"},
		{name: "row below 0", home: two, set: func(p *place, _ *Lookup) { p.env[EnvAccount] = "-1" }, want: "UNSANDBOX_ACCOUNT"},
		{name: "row too far", home: two, set: func(p *place, _ *Lookup) { p.env[EnvAccount] = "9" }, want: "No credentials found"},
		{name: "comments", home: "# Comment line\npk1,sk1\n\n   # more\npk2,sk2", set: func(p *place, _ *Lookup) { p.env[EnvAccount] = "1" }, want: "pk2/sk2 ~/.unsandbox/accounts.csv#1"},
		{name: "blanks, CR, BOM, a third field", home: "\ufeff pk1 , sk1 , x\r\npk2,sk2\r\n", want: "pk1/sk1 ~/.unsandbox/accounts.csv#0"},
		{name: "a line without a comma counts", home: "nothing\npk2,sk2", set: func(p *place, _ *Lookup) { p.env[EnvAccount] = "1" }, want: "pk2/sk2 ~/.unsandbox/accounts.csv#1"},
		{name: "and has no keys", home: "nothing\npk2,sk2", want: "No credentials found"},
		{name: "a header counts", home: "public_key,secret_key\na,b", want: "public_key/secret_key ~/.unsandbox/accounts.csv#0"},
		{name: "empty half", home: "# c\n,secretword", want: "line 2 of ~/.unsandbox/accounts.csv"},
		{name: "quotes", home: `"a","b"`, want: `"a"/"b" ~/.unsandbox/accounts.csv#0`},
		{name: "not UTF-8", home: "\xff,b", want: "No credentials found"},
		{name: "nothing", want: EnvPublicKey},
		{name: "nothing, 2", want: accountsFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, c.home, c.local)
			l := p.lookup()
			if c.set != nil {
				c.set(p, &l)
			}
			creds, err := l.Find()
			got := creds.Public + "/" + creds.Secret + " " + creds.Source
			if err != nil {
				got = err.Error()
			}
			if err == nil && got != c.want || err != nil && (!strings.Contains(got, c.want) || strings.Contains(got, "secretword")) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if entries, _ := os.ReadDir(p.home); c.home == "" && len(entries) > 0 {
				t.Errorf("looking made %v", entries)
			}
		})
	}
}

// TestCredentialsOfTheFolder: whoever made the folder may own that account.
func TestCredentialsOfTheFolder(t *testing.T) {
	p := newPlace(t, "", "pk,sk")
	c, err := p.lookup().Find()
	if err != nil || c.Public != "pk" || p.asked != 1 {
		t.Errorf("asked %d times: %v %v", p.asked, c, err)
	}
	p.yes = false
	refusing := p.lookup()
	nobody := p.lookup()
	nobody.Confirm = nil
	for _, l := range []Lookup{refusing, nobody} {
		_, err := l.Find()
		if !errors.Is(err, kernelclient.Unauthenticated) || !strings.Contains(fmt.Sprint(err), "--account 0") {
			t.Errorf("refused with %v", err)
		}
	}
	nobody.Account = "0"
	if c, err := nobody.Find(); err != nil || c.Source != "./accounts.csv#0" {
		t.Errorf("with the account named: %v %v", c, err)
	}
	if p.asked != 2 {
		t.Errorf("asked %d times", p.asked)
	}
}

func TestCredentialsWarn(t *testing.T) {
	p := newPlace(t, "pk,sk", "")
	if err := os.Chmod(filepath.Join(p.home, ".unsandbox", accountsFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.lookup().Find(); err != nil || len(p.warned) != 1 || !strings.Contains(p.warned[0], "chmod 600") {
		t.Errorf("%q %v", p.warned, err)
	}
}

// TestCredentialsAreNotPrinted: however somebody prints them.
func TestCredentialsAreNotPrinted(t *testing.T) {
	c := Credentials{Public: "unsb-pk-aaaa-bbbb", Secret: "hidden", Source: "env"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, c); strings.Contains(got, "hidden") || strings.Contains(got, "aaaa") || strings.Contains(got, "68696464656e") {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if b, err := encode(c); err != nil || strings.Contains(string(b), "hidden") {
		t.Errorf("%s %v", b, err)
	}
}
