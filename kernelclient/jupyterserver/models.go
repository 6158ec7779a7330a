package jupyterserver

import (
	"context"
	"net/http"
	"sort"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// specsModel is GET /api/kernelspecs.
type specsModel struct {
	Default string               `json:"default"`
	Specs   map[string]specModel `json:"kernelspecs"`
}

type specModel struct {
	Name string `json:"name"`
	Spec struct {
		DisplayName string `json:"display_name"`
		Language    string `json:"language"`
	} `json:"spec"`
}

// kernelModel is a kernel as the server describes it.
type kernelModel struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	State       string    `json:"execution_state"`
	Reason      string    `json:"reason"`
	Connections int       `json:"connections"`
	Active      time.Time `json:"last_activity"`
	notice      string    // what is to be said of its start
}

// sessionModel is a session: a document and its kernel.
type sessionModel struct {
	ID     string      `json:"id"`
	Path   string      `json:"path"`
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Kernel kernelModel `json:"kernel"`
}

// kernelPath is the path of a kernel, or of what can be done with it.
func kernelPath(id, action string) string {
	p := "/api/kernels/" + id
	if action != "" {
		p += "/" + action
	}
	return p
}

func (c *client) specs(ctx context.Context) (s specsModel, err error) {
	err = c.brief(ctx, http.MethodGet, "/api/kernelspecs", &s)
	return s, err
}

func (c *client) kernels(ctx context.Context) (all []kernelModel, err error) {
	err = c.brief(ctx, http.MethodGet, "/api/kernels", &all)
	return all, err
}

func (c *client) sessions(ctx context.Context) (all []sessionModel, err error) {
	err = c.brief(ctx, http.MethodGet, "/api/sessions", &all)
	return all, err
}

func (c *client) kernel(ctx context.Context, id string) (k kernelModel, err error) {
	err = c.brief(ctx, http.MethodGet, kernelPath(id, ""), &k)
	return k, err
}

// kernelsOf are a server's kernelspecs, the default first.
func (c *client) kernelsOf(s specsModel) []kernelclient.Kernel {
	out := make([]kernelclient.Kernel, 0, len(s.Specs))
	for name, spec := range s.Specs {
		if spec.Name != "" {
			name = spec.Name
		}
		out = append(out, kernelclient.Kernel{Name: name, DisplayName: spec.Spec.DisplayName, Language: spec.Spec.Language, Found: c.at.String()})
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := out[i].Name == s.Default, out[j].Name == s.Default; a != b {
			return a
		}
		return out[i].Name < out[j].Name
	})
	return out
}

// stateOf is a kernel's state in our words.
func stateOf(k kernelModel) event.State {
	switch k.State {
	case "busy":
		return event.State{State: event.Busy}
	case "starting":
		return event.State{State: event.Starting}
	case "restarting", "autorestarting":
		return event.State{State: event.Restarting}
	case "dead", "terminating":
		return event.State{State: event.Dead, Detail: k.Reason}
	}
	return event.State{State: event.Idle}
}
