package hosts

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// Kind is a kind of host.
type Kind string

// The kinds.
const (
	Local     Kind = "local"     // this machine
	Process   Kind = "process"   // an nbterm host process: unix:PATH, nbterm+http(s)://HOST:PORT, ssh://HOST
	Jupyter   Kind = "jupyter"   // a Jupyter server or gateway: http(s)://…
	E2B       Kind = "e2b"       // a sandbox of E2B: e2b: (a new one), e2b:ID
	E2BServer Kind = "e2b+http"  // a code-interpreter server: e2b+http(s)://HOST:PORT
	Unsandbox Kind = "unsandbox" // unsandbox:
)

// Address says where a host is. Nothing that can be seen in it is secret.
type Address struct {
	Kind Kind
	// URL is the address as --host takes it, in one spelling and without secrets; "" for
	// Local. It is what ContextInfo.Host says.
	URL string
	// Base is where requests go, an http(s) URL without a slash at its end; "" where the kind
	// alone says it.
	Base   string
	Socket string // of a host process on this machine, absolute
	Remote string // the machine of one that ssh reaches, an ssh:// URL
	ID     string // of a sandbox that exists
	Path   string // of the notebook that the address named, on a Jupyter server or a host process's machine; "" for none
}

// Secrets are what an address as people write it may have in it, and histories of shells
// and lists of processes then show.
type Secrets struct {
	Token    Secret
	User     string // of HTTP authentication, with Password; "" for none
	Password Secret
}

var (
	// bare is host:port without a scheme, as people copy it.
	bare = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z][0-9A-Za-z.-]*):[0-9]{1,5}(/.*|\?.*)?$`)
	// sandbox is what an id of E2B looks like.
	sandbox = regexp.MustCompile(`^[0-9A-Za-z_-]+$`)
)

// Same tells whether a context's host is the one at an address. An address that ends with
// a colon, such as e2b:, is any host of its kind.
func Same(host, address string) bool {
	return host == address || strings.HasSuffix(address, ":") && strings.HasPrefix(host, address)
}

// Forms lists the forms of addresses for people.
const Forms = "local, ssh://HOST, unix:PATH, nbterm+http(s)://HOST:PORT (nbterm serve), http(s)://HOST:PORT (a Jupyter server), e2b:, e2b:ID, e2b+http(s)://HOST:PORT, unsandbox:, or a name in the config file"

// Parse reads an address and takes the secrets out of it. What it cannot read is an Invalid
// error, which does not repeat what may be secret.
func Parse(text string) (a Address, in Secrets, err error) {
	if text == "" || text == string(Local) {
		return Address{Kind: Local}, in, nil
	}
	scheme, rest, found := strings.Cut(text, ":")
	if !found {
		return a, in, invalid(text, "no host is called that")
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return web(Jupyter, "", text)
	case "e2b+http", "e2b+https":
		return web(E2BServer, "e2b+", text)
	case "nbterm+http", "nbterm+https":
		return web(Process, "nbterm+", text)
	case "unix":
		a, err = unixSocket(rest)
	case "e2b":
		a = Address{Kind: E2B, URL: "e2b:" + rest, ID: rest}
		if rest != "" && !sandbox.MatchString(rest) {
			err = invalid("e2b:…", "an id of a sandbox has letters and digits")
		}
	case "unsandbox":
		a = Address{Kind: Unsandbox, URL: "unsandbox:" + rest}
		if rest != "" && !strings.HasPrefix(rest, "?") {
			err = invalid("unsandbox:…", "settings may follow, as in unsandbox:?ttl=300; keys come from the environment or a file")
		}
	case "ssh":
		a, err = overSSH(text)
	default:
		if bare.MatchString(text) {
			return web(Jupyter, "", "http://"+text)
		}
		err = invalid(scheme+":…", "no kind of host is called that")
	}
	return a, in, err
}

func invalid(what, why string) error {
	return &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("--host %q: %s", what, why), Next: "it is one of " + Forms}
}

func unixSocket(path string) (Address, error) {
	if path == "" {
		return Address{}, invalid("unix:", "the path of the socket is missing")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Address{}, invalid("unix:"+path, err.Error())
	}
	return Address{Kind: Process, URL: "unix:" + abs, Socket: abs}, nil
}

// overSSH reads an ssh:// address. The name of the machine is for ssh to make sense of.
func overSSH(text string) (a Address, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" {
		return a, invalid("ssh://…", "it is like ssh://ann@machine, or ssh://machine:2222/home/ann/a.ipynb")
	}
	if _, has := u.User.Password(); has || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-") {
		return a, invalid("ssh://…", "ssh asks for passwords itself, and names do not begin with a dash")
	}
	at := url.URL{Scheme: "ssh", User: u.User, Host: u.Host}
	a = Address{Kind: Process, URL: at.String(), Remote: at.String()}
	if u.Path != "/" {
		a.Path = u.Path
	}
	return a, nil
}

// web reads an address of http or https, with a prefix before the scheme.
func web(kind Kind, prefix, text string) (a Address, in Secrets, err error) {
	u, err := url.Parse(text[len(prefix):]) // its error repeats the address, secrets and all
	if err != nil || u.Opaque != "" {
		return a, in, invalid(shown(text), "it cannot be read as a URL")
	}
	if u.Hostname() == "" {
		return a, in, invalid(shown(text), "the name of the machine is missing")
	}
	a.Kind = kind
	password, _ := u.User.Password()
	in = Secrets{Secret(u.Query().Get("token")), u.User.Username(), Secret(password)}
	root := &url.URL{Scheme: strings.ToLower(u.Scheme), Host: canonicalHost(u)}
	base := u.EscapedPath()
	if kind == Jupyter {
		base, a.Path = splitPage(u)
	}
	if kind == Process && strings.HasSuffix(u.Path, ".ipynb") {
		base, a.Path = "", u.Path
	}
	a.Base = root.String()
	if base = strings.Trim(base, "/"); base != "" {
		a.Base += "/" + base
	}
	a.URL = prefix + a.Base
	return a, in, nil
}

// canonicalHost is the machine and port in small letters, without a port that goes without saying.
func canonicalHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		port = ""
	}
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// shown is as much of an address that cannot be read as has no secret in it.
func shown(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return scheme + "://" + rest
}
