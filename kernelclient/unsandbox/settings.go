package unsandbox

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// Settings say how programs run. The zero value is the service's own way.
type Settings struct {
	Submit    string        // SubmitAuto, SubmitAsync or SubmitSync; "" is auto
	Network   string        // NetworkNone or NetworkOut; "" is the service's default
	TTL       time.Duration // of each job, up to MaxTTL; 0 is the service's default
	VCPU      int           // 1 to 8; 0 is 1
	Artifacts bool          // files that code writes to /tmp/artifacts become outputs
	// Replay sends the earlier cells of a language that ended well along with each cell, so
	// that their variables are there. Their output is left out; they run again each time.
	Replay bool
	// Carry are patterns of artifacts that later cells find in /tmp/input.
	Carry []string
	// Parallel lets so many stateless cells of a queue run at once; 0 and 1 are one at a
	// time. Their results still come in order.
	Parallel int
	Shell    string // of sessions with a live kernel; "" is bash
	// Multiplexer, such as "tmux", lets a session's live kernel outlast its connection; "" none.
	Multiplexer string
}

// ParseSettings reads settings as they stand in an address, such as
// unsandbox:?network=semitrusted&ttl=300&carry=*.csv&replay=1. Unknown names are Invalid.
func ParseSettings(q url.Values) (s Settings, err error) {
	for name := range q {
		v := q.Get(name)
		switch name {
		case "submit":
			s.Submit = v
		case "network":
			s.Network = v
		case "ttl":
			s.TTL, err = seconds(name, v)
		case "vcpu":
			s.VCPU, err = count(name, v)
		case "parallel":
			s.Parallel, err = count(name, v)
		case "artifacts":
			s.Artifacts, err = truth(name, v)
		case "replay":
			s.Replay, err = truth(name, v)
		case "carry":
			s.Carry = strings.Split(v, ",")
		case "multiplexer":
			s.Multiplexer = v
		case "shell":
			s.Shell = v
		default:
			err = unfit(name, v, "there is no such setting")
		}
		if err != nil {
			return s, err
		}
	}
	return s, s.check()
}

// network says what of the network code can reach.
func (s Settings) network() string {
	if s.Network == NetworkOut {
		return "network by a proxy"
	}
	return "no network"
}

func (s Settings) check() error {
	switch s.Submit {
	case "", SubmitAuto, SubmitAsync, SubmitSync:
	default:
		return unfit("submit", s.Submit, "it is auto, async or sync")
	}
	if s.Parallel < 0 {
		return unfit("parallel", strconv.Itoa(s.Parallel), "it is a number from 0")
	}
	for _, p := range s.Carry {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return unfit("carry", p, "it is a list of patterns such as *.csv")
		}
	}
	return Program{Language: "python", Network: s.Network, TTL: s.TTL, VCPU: s.VCPU}.check()
}

func unfit(name, value, why string) error {
	return &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf("the setting %s=%q of Unsandbox cannot be used: %s", name, value, why)}
}

func seconds(name, v string) (time.Duration, error) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n < 0 || n > 1e6 {
		return 0, unfit(name, v, "it is a number of seconds")
	}
	return time.Duration(n * float64(time.Second)), nil
}

func count(name, v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, unfit(name, v, "it is a number")
	}
	return n, nil
}

func truth(name, v string) (bool, error) {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, unfit(name, v, "it is 1 or 0")
	}
	return b, nil
}
