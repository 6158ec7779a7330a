package wire

import (
	"encoding/json"
	"strings"
)

// Execution is the body of POST /execute. At most one of ContextID and Language may be set;
// with neither it runs in the default Python context.
type Execution struct {
	Code      string            `json:"code"`
	ContextID string            `json:"context_id,omitempty"`
	Language  string            `json:"language,omitempty"`
	EnvVars   map[string]string `json:"env_vars,omitempty"`
}

// ContextRequest is the body of POST /contexts. "" is the default: /home/user, python.
type ContextRequest struct {
	Cwd      string `json:"cwd,omitempty"`
	Language string `json:"language,omitempty"`
}

// Context is what /contexts answers: Cwd is as it was asked for, whether it exists or not.
type Context struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Cwd      string `json:"cwd"`
}

// Encode is v as a JSON body without a line end.
func Encode(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

// Language is a language's name as the interpreter has it: trimmed, in lower case, js and
// ts by their full names. "" is python.
func Language(name string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "":
		return "python"
	case "js":
		return "javascript"
	case "ts":
		return "typescript"
	}
	return name
}

// The texts of the errors that the interpreter makes of what befell a kernel. Their
// Traceback is empty, and an End follows.
const (
	ContextRestarting = "ContextRestarting"        // the kernel died and is being restarted
	WebSocketError    = "WebSocketError"           // the way to the kernel broke; UnexpectedEnd follows
	UnexpectedEnd     = "UnexpectedEndOfExecution" // that was its end
	ExecutionAborted  = "ExecutionAborted"         // the kernel discarded the code unrun
)

// Values of the errors above, by which they differ from exceptions of the same name.
const (
	RestartedValue = "Context was restarted"
	LostValue      = "The connections was lost, rerun the code to get the results"
	UnsentValue    = "Failed to send execution request"
	UnexpectedText = "Connection to the execution was closed before the execution was finished"
	AbortedValue   = "Execution was aborted"
)

// Headers of the calls.
const (
	HeaderSandbox = "E2b-Sandbox-Id"           // the edge routes by it
	HeaderPort    = "E2b-Sandbox-Port"         // and by it
	HeaderTraffic = "E2b-Traffic-Access-Token" // of a sandbox that has one, on every call but envd's
	HeaderAccess  = "X-Access-Token"           // envd's, on /execute and envd's own calls
	HeaderAPIKey  = "X-Api-Key"                //nolint:gosec // the name of a header; control plane
)

// Ports within a sandbox.
const (
	PortInterpreter = 49999
	PortEnvd        = 49983
	PortJupyter     = 8888
)
