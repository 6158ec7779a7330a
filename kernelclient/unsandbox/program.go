package unsandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// The networks that a program can have.
const (
	NetworkNone = "zerotrust"   // none at all, the service's default
	NetworkOut  = "semitrusted" // outwards, through a proxy
)

// MaxTTL is the longest that the service runs a job.
const MaxTTL = 900 * time.Second

// defaultTTL is the service's own limit, where none is sent.
const defaultTTL = 60 * time.Second

// The limits of input files and variables.
const (
	maxFile  = 10 << 20
	maxFiles = 50 << 20
	maxEnv   = 256
)

// File is a file that goes with a program: it lies in /tmp/input there.
type File struct {
	Name string
	Data []byte
}

// Program is what a job runs.
type Program struct {
	Language  string // in the service's words
	Code      string // the whole program
	Env       map[string]string
	Files     []File
	Network   string        // "" is the service's default
	TTL       time.Duration // its time limit, in whole seconds up to MaxTTL; 0 is the service's default, 60 s
	VCPU      int           // 1 to 8; 0 is 1
	Artifacts bool          // what it writes to /tmp/artifacts comes back

	own      string // the code without that of replayed cells
	replayed int    // cells
	sentinel string // what stands in the output before that of own
}

// check refuses what the service would refuse.
func (p Program) check() error {
	bad := func(format string, args ...any) error {
		return &kernelclient.Error{Kind: kernelclient.Invalid, What: fmt.Sprintf(format, args...)}
	}
	switch {
	case p.Language == "":
		return bad("the program has no language")
	case p.TTL < 0 || p.TTL > MaxTTL || p.TTL > 0 && p.TTL < time.Second:
		return bad("a job of Unsandbox runs for 1 to %d seconds, not %v", int(MaxTTL.Seconds()), p.TTL.Seconds())
	case p.VCPU < 0 || p.VCPU > 8:
		return bad("vcpu is 1 to 8, not %d", p.VCPU)
	case p.Network != "" && p.Network != NetworkNone && p.Network != NetworkOut:
		return bad("the network mode is %s or %s, not %q", NetworkNone, NetworkOut, p.Network)
	case len(p.Env) > maxEnv:
		return bad("a job takes %d environment variables at most", maxEnv)
	}
	total := 0
	for _, f := range p.Files {
		if f.Name != path.Base(f.Name) || strings.HasPrefix(f.Name, ".") {
			return bad("%q is no name of an input file", f.Name)
		}
		if len(f.Data) > maxFile {
			return bad("the input file %s is longer than %d MiB", f.Name, maxFile>>20)
		}
		total += len(f.Data)
	}
	if total > maxFiles {
		return bad("the input files are longer than %d MiB together", maxFiles>>20)
	}
	return nil
}

// inputFile is a File on the wire.
type inputFile struct {
	Filename string `json:"filename"`
	Content  string `json:"content"`
}

// programWire is a Program on the wire. What is not set is not sent.
type programWire struct {
	Language  string            `json:"language"`
	Code      string            `json:"code"`
	Env       map[string]string `json:"env,omitempty"`
	Files     []inputFile       `json:"input_files,omitempty"`
	Network   string            `json:"network_mode,omitempty"`
	TTL       int               `json:"ttl,omitempty"`
	VCPU      int               `json:"vcpu,omitempty"`
	Artifacts bool              `json:"return_artifact,omitempty"`
}

// body is the request's, exactly as it is signed and sent.
func (p Program) body() ([]byte, error) {
	w := programWire{
		Language: p.Language, Code: bare(p.Language, p.Code), Env: p.Env, Files: filesWire(p.Files), Network: p.Network,
		TTL: int((p.TTL + time.Second - 1) / time.Second), Artifacts: p.Artifacts,
	}
	if p.VCPU > 1 {
		w.VCPU = p.VCPU
	}
	return encode(w)
}

func filesWire(files []File) (out []inputFile) {
	for _, f := range files {
		out = append(out, inputFile{f.Name, base64.StdEncoding.EncodeToString(f.Data)})
	}
	return out
}

// encode is compact JSON without the line's end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("a request to Unsandbox: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// bare is PHP without its opening tag, which the service does not take; other code as it is.
func bare(language, code string) string {
	if language != "php" {
		return code
	}
	if at := regexp.MustCompile(`^\s*<\?(php\b)?`).FindStringIndex(code); at != nil {
		return code[at[1]:]
	}
	return code
}

// limit is how long the job may run.
func (p Program) limit() time.Duration {
	if p.TTL == 0 {
		return defaultTTL
	}
	return p.TTL
}
