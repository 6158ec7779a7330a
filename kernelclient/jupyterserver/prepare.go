package jupyterserver

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// prepare is code that gives a kernel the variables and the folder that its user wants:
// a server takes none with a start, only gateways do. It is a driver's Prepare.
func (l *launcher) prepare(language string) (string, error) {
	env := kernelEnv(nil, l.start.Env)
	dir := ""
	if path.IsAbs(l.start.Dir) {
		dir = l.start.Dir
	}
	if len(env) == 0 && dir == "" {
		return "", nil
	}
	if strings.EqualFold(language, "python") {
		return pythonSetup(env, dir), nil
	}
	if dir == "" && l.client.isGateway() {
		return "", nil // it got them with the start
	}
	return "", &kernelclient.Error{
		Kind: kernelclient.Unsupported, What: "the server gives a kernel of " + language + " neither variables nor an absolute working folder",
		Next: "set them in the code",
	}
}

// pythonSetup is Python without a name that stays. JSON's strings are Python's.
func pythonSetup(env map[string]string, dir string) string {
	var code strings.Builder
	if len(env) > 0 {
		text, _ := json.Marshal(env) // strings have nothing to fail at
		code.WriteString("__import__('os').environ.update(" + string(text) + ")\n")
	}
	if dir != "" {
		text, _ := json.Marshal(dir)
		code.WriteString("__import__('os').chdir(" + string(text) + ")\n")
	}
	return code.String()
}

// isGateway tells whether the server passes variables on to its kernels.
func (c *client) isGateway() bool {
	var about struct {
		Gateway string `json:"gateway_version"`
	}
	return c.brief(context.Background(), http.MethodGet, "/api", &about) == nil && about.Gateway != ""
}
