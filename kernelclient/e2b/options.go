package e2b

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/nbterm/nbterm/kernelclient"
)

// The SDKs' own words and numbers.
const (
	// DebugID is the sandbox's id where there is no control plane.
	DebugID         = "debug_sandbox_id"
	defaultDomain   = "e2b.app"
	defaultTemplate = "code-interpreter-v1"
	defaultLifetime = 5 * time.Minute
	defaultRequest  = time.Minute
)

// Options are for New, NewClient and NewCloud. The zero value is a new sandbox in E2B's
// cloud, with the settings of the environment.
type Options struct {
	// URL is a code interpreter's address, such as http://127.0.0.1:49999: no sandbox is
	// made and no control plane asked. "" is E2B_SANDBOX_URL, or where E2B_DEBUG or Sandbox say.
	URL string
	// Envd is the address of the sandbox's file service; "" is beside the interpreter.
	Envd string
	// Sandbox is the id of a sandbox that exists; "" is a new one.
	Sandbox string

	APIKey       string // "" is E2B_API_KEY
	AccessToken  string // envd's; the control plane tells it of sandboxes that are made or connected to
	TrafficToken string // as above; of a server at URL one of the two is enough for both
	Domain       string // "" is E2B_DOMAIN, else e2b.app
	APIURL       string // "" is E2B_API_URL, else https://api.<domain>

	Template string // of a new sandbox; "" is code-interpreter-v1
	Metadata map[string]string
	EnvVars  map[string]string // of a new sandbox: in all that it runs
	// TLS is how certificates are checked; nil is as the system does.
	TLS *tls.Config
	// Lifetime is how long a new sandbox, or a paused one that is connected to, lives; 0 is
	// five minutes for a new one, and what the control plane gives for another. One that this host made lives on while a cell runs in it.
	Lifetime time.Duration
	Insecure bool // make the new sandbox without an access token
	// Keep leaves the sandbox that this host made to its lifetime. Else it is killed with its
	// last context, and with Close.
	Keep bool
	// Outlive keeps Close from killing a sandbox whose contexts were let go of and not stopped.
	Outlive bool

	RequestTimeout time.Duration // of connecting and sending where a StartSpec has none; 0 is 60 s, below 0 none
	// Env is the environment to read settings from, K=V; nil is this process's own.
	Env []string
	// Warn is told in one line what its user should know of a sandbox: that it is kept, that
	// it could not be killed. It may be nil.
	Warn func(line string)
	// Forget is StartSpec.Forget for all contexts.
	Forget bool
	// Log, if not nil, says how the log of a context that Start makes is kept.
	Log kernelclient.LogMaker
}

// lookup is a variable of the environment, "" where it is not set.
func (o Options) lookup(key string) string {
	if o.Env == nil {
		return os.Getenv(key)
	}
	for _, kv := range slices.Backward(o.Env) {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

// filled is o with what the environment says, as the SDKs read it.
func (o Options) filled() Options {
	o.APIKey = cmp.Or(o.APIKey, o.lookup("E2B_API_KEY"))
	o.Domain = cmp.Or(o.Domain, o.lookup("E2B_DOMAIN"), defaultDomain)
	o.APIURL = cmp.Or(o.APIURL, o.lookup("E2B_API_URL"), "https://api."+o.Domain)
	o.Template = cmp.Or(o.Template, defaultTemplate)
	if o.RequestTimeout == 0 {
		o.RequestTimeout = defaultRequest
	}
	if o.URL != "" {
		o.TrafficToken = cmp.Or(o.TrafficToken, o.AccessToken)
		o.AccessToken = cmp.Or(o.AccessToken, o.TrafficToken)
	}
	o.URL, o.Envd = strings.TrimRight(o.URL, "/"), strings.TrimRight(o.Envd, "/")
	return o
}

// debug tells whether there is no control plane: the interpreter is on this machine, or at
// an address that was given.
func (o Options) debug() bool {
	return o.URL != "" || strings.EqualFold(o.lookup("E2B_DEBUG"), "true")
}

// place says where a sandbox's interpreter and its file service are.
func (o Options) place(id, domain string) (interpreter, envd string) {
	base := cmp.Or(o.URL, strings.TrimRight(o.lookup("E2B_SANDBOX_URL"), "/"))
	switch {
	case base != "":
		return base, cmp.Or(o.Envd, base)
	case o.debug():
		return "http://localhost:49999", cmp.Or(o.Envd, "http://localhost:49983")
	}
	return "https://49999-" + id + "." + domain, cmp.Or(o.Envd, "https://49983-"+id+"."+domain)
}

// address is what --host would have to say for a sandbox, "" as its id for none yet.
func (o Options) address(id string) string {
	if o.URL != "" {
		if u, err := url.Parse(o.URL); err == nil {
			return "e2b+" + u.Scheme + "://" + u.Host + u.Path
		}
	}
	return "e2b:" + id
}

// newHTTP is a client for HTTP/1.1, where ending a request closes its connection: that is
// how a run is interrupted. It decompresses nothing, so that lines come as they are sent.
func (o Options) newHTTP() *http.Client {
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4}}
	proxy := o.proxy()
	one := new(http.Protocols)
	one.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy: func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }, DialContext: dialer.DialContext, Protocols: one,
			TLSClientConfig:    o.TLS.Clone(),
			DisableCompression: true, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 4,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// proxy is the proxy that the environment names for an address, nil for none. Addresses of
// this machine are never reached through one.
func (o Options) proxy() func(*url.URL) (*url.URL, error) {
	get := func(name string) string { return cmp.Or(o.lookup(name), o.lookup(strings.ToLower(name))) }
	c := &httpproxy.Config{HTTPProxy: get("HTTP_PROXY"), HTTPSProxy: get("HTTPS_PROXY"), NoProxy: get("NO_PROXY")}
	return c.ProxyFunc()
}
