package unsandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nbterm/nbterm/kernelclient"
)

// The environment variables that are read.
const (
	EnvPublicKey = "UNSANDBOX_PUBLIC_KEY"
	EnvSecretKey = "UNSANDBOX_SECRET_KEY"
	EnvAccount   = "UNSANDBOX_ACCOUNT" // a row of accounts.csv, counted from 0
	EnvURL       = "UNSANDBOX_API_URL"
)

// accountsFile has a line "public,secret" for each account.
const accountsFile = "accounts.csv"

// Credentials are a pair of keys. However they are printed, the secret is not.
type Credentials struct {
	Public string
	Secret string `json:"-"`
	Source string // where they were found, in words for people
}

// String tells the end of the public key and where it came from.
func (c Credentials) String() string {
	return fmt.Sprintf("key …%s from %s", c.Public[max(0, len(c.Public)-4):], c.Source)
}

// GoString is String.
func (c Credentials) GoString() string { return c.String() }

// Format prints nothing else either, whatever the verb.
func (c Credentials) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

// LogValue implements slog.LogValuer.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Lookup says where to look for Credentials.
type Lookup struct {
	Public, Secret string              // given by the user: used where both are set
	Source         string              // where these two came from, in words; "" is "the given keys"
	Account        string              // the row of accounts.csv that the user asks for, "" for none
	Env            func(string) string // nil is this process's environment
	Dir            string              // the folder whose accounts.csv comes last, "" for the current one
	// Confirm asks whether the accounts.csv of Dir may be used: the folder may be somebody
	// else's, and code would run under that person's account. It is called once at most. nil
	// is a no, as there is nobody to ask.
	Confirm func(file string) (bool, error)
	Warn    func(line string) // is told what is odd about a source; may be nil
}

// Find returns the first pair of: the given one; the row Account of ~/.unsandbox/accounts.csv
// or of Dir's; the environment's; the row UNSANDBOX_ACCOUNT of these files. Halves of two
// sources are never mixed. It makes no folder and no file.
func (l Lookup) Find() (Credentials, error) {
	if l.Public != "" && l.Secret != "" {
		return Credentials{Public: l.Public, Secret: l.Secret, Source: cmp.Or(l.Source, "the given keys")}, nil
	}
	if l.Account != "" {
		row, err := accountRow("the account", l.Account)
		if err != nil {
			return Credentials{}, err
		}
		c, found, err := l.inFiles(row, true)
		if err == nil && !found {
			err = noKeys(fmt.Sprintf("there is no account %d in ~/.unsandbox/%s or ./%s", row, accountsFile, accountsFile))
		}
		return c, err
	}
	if c, ok := l.inEnvironment(); ok {
		return c, nil
	}
	row, err := accountRow(EnvAccount, l.env(EnvAccount))
	if err != nil {
		return Credentials{}, err
	}
	c, found, err := l.inFiles(row, false)
	if err == nil && !found {
		err = noKeys("No credentials found for Unsandbox")
	}
	return c, err
}

func noKeys(what string) error {
	return &kernelclient.Error{
		Kind: kernelclient.Unauthenticated, What: what,
		Next: fmt.Sprintf("set %s and %s, or put a line \"public,secret\" into ~/.unsandbox/%s", EnvPublicKey, EnvSecretKey, accountsFile),
	}
}

func (l Lookup) env(name string) string {
	if l.Env != nil {
		return l.Env(name)
	}
	return os.Getenv(name)
}

func (l Lookup) warn(format string, args ...any) {
	if l.Warn != nil {
		l.Warn(fmt.Sprintf(format, args...))
	}
}

// accountRow reads the number of a row. What is no number is an error: running under the
// wrong account costs money.
func accountRow(name, text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("%s is %q", name, text), Next: "it is the number of a row in " + accountsFile + ", from 0"}
	}
	return n, nil
}

func (l Lookup) inEnvironment() (Credentials, bool) {
	read := func(name string) string {
		raw := l.env(name)
		text := strings.TrimSpace(raw)
		if text != raw && text != "" {
			l.warn("%s has blanks around it, which are left out", name)
		}
		return text
	}
	public, secret := l.env(EnvPublicKey), l.env(EnvSecretKey)
	if strings.TrimSpace(public) == "" || strings.TrimSpace(secret) == "" {
		return Credentials{}, false
	}
	return Credentials{Public: read(EnvPublicKey), Secret: read(EnvSecretKey), Source: "env"}, true
}

// inFiles looks for a row in the two files. Where the user named the row that is consent
// enough for the folder's own file.
func (l Lookup) inFiles(row int, named bool) (c Credentials, found bool, err error) {
	home := homeOf(l.env)
	if home != "" {
		c, found, err = l.inFile(filepath.Join(home, ".unsandbox", accountsFile), "~/.unsandbox/"+accountsFile, row)
	}
	if found || err != nil {
		return c, found, err
	}
	file := filepath.Join(l.Dir, accountsFile)
	c, found, err = l.inFile(file, "./"+accountsFile, row)
	if !found || err != nil || named {
		return c, found, err
	}
	yes := false
	if l.Confirm != nil {
		if yes, err = l.Confirm(file); err != nil {
			return Credentials{}, false, err
		}
	}
	if !yes {
		return Credentials{}, false, &kernelclient.Error{
			Kind: kernelclient.Unauthenticated,
			What: "the keys in ./" + accountsFile + " are not used unasked: code would run under the account of whoever made this folder",
			Next: fmt.Sprintf("--account %d uses them", row),
		}
	}
	return c, true, nil
}

// homeOf is the user's folder, "" if it is not known.
func homeOf(env func(string) string) string {
	if home := env("HOME"); home != "" {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// inFile reads a row of one file. A file that cannot be read is as none.
func (l Lookup) inFile(path, shown string, row int) (Credentials, bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.warn("%s cannot be read and is passed over", shown)
		}
		return Credentials{}, false, nil
	}
	if !utf8.Valid(data) {
		l.warn("%s is not UTF-8 text and is passed over", shown)
		return Credentials{}, false, nil
	}
	if info, err := os.Stat(path); err == nil && readableByOthers(info) {
		l.warn("%s can be read by others; `chmod 600 %s` keeps the keys yours", shown, shown)
	}
	public, secret, line, found := accountAt(data, row)
	if !found {
		return Credentials{}, false, nil
	}
	if public == "" || secret == "" {
		return Credentials{}, false, &kernelclient.Error{
			Kind: kernelclient.Invalid, What: fmt.Sprintf("line %d of %s has an empty key", line, shown),
			Next: "a line is \"public,secret\"",
		}
	}
	return Credentials{Public: public, Secret: secret, Source: fmt.Sprintf("%s#%d", shown, row)}, true, nil
}

// accountAt finds a row: every line counts that is neither blank nor begins with #. One
// without a comma counts and has no keys. Quotes mean nothing, and a third field is ignored.
func accountAt(data []byte, row int) (public, secret string, line int, found bool) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	n := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		if n == row {
			fields := strings.Split(text, ",")
			if len(fields) < 2 {
				return "", "", line, false
			}
			return strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), line, true
		}
		n++
	}
	return "", "", line, false
}
