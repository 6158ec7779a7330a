package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// Settings are what the user's settings and flags say of a host besides its address.
type Settings struct {
	Token        Secret `toml:"token"`
	TokenFile    string `toml:"token_file"` // holds the token in its first line
	User         string `toml:"user"`       // of HTTP authentication, as a proxy before the server wants it; "" for none
	Password     Secret `toml:"password"`   // of User, else of a Jupyter server's login page
	PasswordFile string `toml:"password_file"`
	CAFile       string `toml:"ca_file"`  // certificates to trust, PEM
	Insecure     bool   `toml:"insecure"` // any certificate is taken

	Template  string `toml:"template"` // of a new E2B sandbox
	Lifetime  uint32 `toml:"lifetime"` // seconds that it lives, and a paused one that is woken; 0 is E2B's choice
	Keep      bool   `toml:"keep"`     // a sandbox that was made is not killed at the end
	ViaServer bool   `toml:"via_jupyter"`

	Account   string `toml:"account"`    // a row of Unsandbox's accounts file, from 0
	KeySource string `toml:"-"`          // where the two keys of Unsandbox were found, in words
	PublicKey string `toml:"public_key"` // of Unsandbox, whose secret key is the token
}

// Target is a host and all that is needed to be let in.
type Target struct {
	Address
	Settings
}

// Resolve puts together an address and what is said of it elsewhere: secrets in the address
// itself count before those of the settings, those before the environment's. Token files
// are read. A file that cannot be read is an error, for it was meant.
func Resolve(a Address, in Secrets, s Settings, getenv func(string) string) (t Target, err error) {
	for _, from := range []struct {
		to   *Secret
		here Secret
		file string
	}{{&s.Token, in.Token, s.TokenFile}, {&s.Password, in.Password, s.PasswordFile}} {
		switch {
		case from.here != "":
			*from.to = from.here
		case from.file != "":
			if *from.to, err = secretIn(from.file); err != nil {
				return t, err
			}
		}
	}
	if in.User != "" {
		s.User = in.User
	}
	if s.Token == "" {
		s.Token = fromEnvironment(a.Kind, getenv)
	}
	return Target{Address: a, Settings: s}, nil
}

// fromEnvironment is the token that the environment has for a kind of host. The keys of E2B
// and Unsandbox are read where their services' rules say.
func fromEnvironment(k Kind, getenv func(string) string) Secret {
	names := map[Kind][]string{Jupyter: {"NBTERM_TOKEN", "JUPYTER_TOKEN"}, Process: {"NBTERM_TOKEN"}, E2BServer: {"NBTERM_TOKEN"}}
	for _, name := range names[k] {
		if v := getenv(name); v != "" {
			return Secret(v)
		}
	}
	return ""
}

// secretIn is the first line of a file.
func secretIn(path string) (Secret, error) {
	data, err := os.ReadFile(expand(path))
	if err != nil {
		return "", &kernelclient.Error{Kind: kernelclient.Invalid, What: "the file with the token cannot be read", Err: err}
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("the file with the token, %s, has an empty first line", path)}
	}
	return Secret(line), nil
}

// expand puts the home folder in the place of ~, as settings are written.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + "/" + rest
}

// wireTarget is a Target as the host process gets it, over a socket that only its user can open.
type wireTarget struct {
	Address  Address  `json:"address"`
	Settings Settings `json:"settings"`
	Token    string   `json:"token,omitempty"`
	Password string   `json:"password,omitempty"`
}

// Wire is t in full, secrets too: for the host process, never for a file or a log.
func (t Target) Wire() json.RawMessage {
	data, err := json.Marshal(wireTarget{t.Address, t.Settings, string(t.Token), string(t.Password)})
	if err != nil {
		return nil // structs of strings and numbers have nothing to fail at
	}
	return data
}

// FromWire reads what Wire wrote; nothing is this machine.
func FromWire(data json.RawMessage) (Target, error) {
	if len(data) == 0 {
		return Target{Address: Address{Kind: Local}}, nil
	}
	var w wireTarget
	if err := json.Unmarshal(data, &w); err != nil {
		return Target{}, errors.New("what the client said of the host cannot be read")
	}
	w.Settings.Token, w.Settings.Password = Secret(w.Token), Secret(w.Password)
	return Target{Address: w.Address, Settings: w.Settings}, nil
}
