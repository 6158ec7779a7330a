package bridge

import (
	"encoding/json"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

// Proto is the version of the protocol. Every answer of a host process carries it in
// protoHeader. GET /hello, GET /contexts, POST /contexts/ID/stop and POST /stop never
// change, so that clients of any version can list what runs and stop it; all other paths
// begin with the version.
const Proto = 1

const (
	protoText    = "1"
	protoHeader  = "Nbterm-Proto"
	clientHeader = "Nbterm-Client" // a name of the client's own, the same for all its requests
	beat         = 15 * time.Second
	// A client may ask for a quicker heartbeat. A server that grants it says so.
	beatQuery  = "beat"
	beatHeader = "Nbterm-Beat"
	quickBeat  = 5 * time.Second
)

// hello is what a host process says of itself.
type hello struct {
	Proto   int    `json:"proto"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// Machine is a fingerprint of the machine, or container, whose files the host process
	// sees; "" from those that do not tell.
	Machine string `json:"machine,omitempty"`
}

// kernelWire is a kernelclient.Kernel.
type kernelWire struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Found       string `json:"found"`
	Broken      string `json:"broken,omitempty"`
	Env         string `json:"env,omitempty"`
	Elsewhere   bool   `json:"elsewhere,omitempty"`
}

// contextWire is a kernelclient.ContextInfo and what else a client is told of a context.
// Rev orders the descriptions of one context by the time they were true.
type contextWire struct {
	Rev          int64                     `json:"rev"`
	ID           string                    `json:"id"`
	Kernel       kernelWire                `json:"kernel"`
	Dir          string                    `json:"dir"`
	Path         string                    `json:"path"` // of the notebook, "" for none
	Name         string                    `json:"name,omitempty"`
	Foreign      bool                      `json:"foreign,omitempty"`
	Host         string                    `json:"host,omitempty"`
	Remote       string                    `json:"remote,omitempty"`
	Expires      time.Time                 `json:"expires,omitzero"`
	PID          int                       `json:"pid"`
	PIDStart     int64                     `json:"pid_start,omitempty"`
	ConnFile     string                    `json:"connection_file,omitempty"`
	Started      time.Time                 `json:"started"`
	State        string                    `json:"state"`
	Generation   int                       `json:"generation"`
	Detail       string                    `json:"detail,omitempty"`
	Running      int                       `json:"running"`
	Waiting      int                       `json:"waiting"`
	Epoch        string                    `json:"epoch"` // of the log, and its newest event
	Seq          uint64                    `json:"seq"`
	Saved        *markWire                 `json:"saved,omitempty"`    // nil: as it was
	Language     string                    `json:"language,omitempty"` // JSON as the kernel wrote it
	Capabilities kernelclient.Capabilities `json:"capabilities"`
	Err          *wireError                `json:"error,omitempty"`
	Clients      int                       `json:"clients"`
	Memory       int64                     `json:"memory"` // resident bytes of the kernel's processes, 0 where unknown
}

// markWire is a kernelclient.SaveMark.
type markWire struct {
	Path   string          `json:"path"`
	SHA256 string          `json:"sha256"`
	Epoch  string          `json:"epoch"`
	Seq    uint64          `json:"seq"`
	Cells  []event.CellKey `json:"cells"`
}

func markOf(m kernelclient.SaveMark) markWire {
	return markWire{Path: m.Path, SHA256: m.SHA256, Epoch: m.Cursor.Epoch, Seq: m.Cursor.Seq, Cells: m.Cells}
}

func (w markWire) mark() kernelclient.SaveMark {
	return kernelclient.SaveMark{Path: w.Path, SHA256: w.SHA256, Cursor: kernelclient.Cursor{Epoch: w.Epoch, Seq: w.Seq}, Cells: w.Cells}
}

// describe says how a context is now, but for what is long and seldom changes.
func (s *Server) describe(k *kept) contextWire {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := k.Info()
	s.rev = max(s.rev+1, time.Now().UnixNano())
	return contextWire{
		Rev: s.rev, ID: string(i.ID), Kernel: kernelWire(i.Kernel), Dir: i.Dir, Path: i.Path, Name: i.Name, Foreign: i.Foreign,
		Host: i.Host, Remote: i.Remote, Expires: i.Expires,
		PID: i.PID, PIDStart: i.PIDStart, ConnFile: i.ConnFile, Started: i.Started,
		State: string(i.State.State), Generation: i.State.Generation, Detail: i.State.Detail,
		Running: i.Running, Waiting: i.Waiting, Epoch: i.Last.Epoch, Seq: i.Last.Seq,
		Language: string(i.Language), Capabilities: k.Capabilities(), Err: encodeError(i.Err), Clients: k.clients.present(),
	}
}

// whole is describe with all there is.
func (s *Server) whole(k *kept) contextWire {
	d, saved := s.describe(k), markOf(k.Info().Saved)
	d.Saved = &saved
	return d
}

// info is a description as the client has it.
func (c *Client) info(w contextWire) kernelclient.ContextInfo {
	i := kernelclient.ContextInfo{
		ID: kernelclient.ContextID(w.ID), Kernel: kernelclient.Kernel(w.Kernel), Dir: w.Dir, Path: c.told(w.Path),
		Name: w.Name, Foreign: w.Foreign, Host: w.Host, Remote: w.Remote, Expires: w.Expires,
		PID: w.PID, PIDStart: w.PIDStart, ConnFile: w.ConnFile, Started: w.Started,
		State:   event.State{State: event.KernelState(w.State), Generation: w.Generation, Detail: w.Detail},
		Running: w.Running, Waiting: w.Waiting, Last: kernelclient.Cursor{Epoch: w.Epoch, Seq: w.Seq},
		Err: decodeError(w.Err), Clients: w.Clients,
	}
	if i.Host == "" {
		i.Host = c.opt.Name
	}
	if w.Saved != nil {
		i.Saved = w.Saved.mark()
		i.Saved.Path = c.told(i.Saved.Path)
	}
	if w.Language != "" {
		i.Language = []byte(w.Language)
	}
	return i
}

// kernelsRequest asks what can be started in a client's environment and folder.
type kernelsRequest struct {
	Env    []string        `json:"env"`
	Dir    string          `json:"dir"`
	Target json.RawMessage `json:"target,omitempty"` // as in Surroundings
}

// startRequest starts a context. Nonce makes it safe to repeat.
type startRequest struct {
	kernelsRequest
	Nonce    string   `json:"nonce"`
	Existing string   `json:"existing"` // a running kernel's connection file: nothing is started
	Spec     specWire `json:"spec"`
}

// runningWire is a kernelclient.Running.
type runningWire struct {
	File    string     `json:"file"`
	Kernel  kernelWire `json:"kernel"`
	Path    string     `json:"path"`
	PID     int        `json:"pid"`
	Started time.Time  `json:"started"`
}

// specWire is a kernelclient.StartSpec.
type specWire struct {
	Kernel         string        `json:"kernel"`
	Dir            string        `json:"dir"`
	Env            []string      `json:"env"`
	Session        string        `json:"session"`
	Root           string        `json:"-"` // for the server to say, not for its clients
	Name           string        `json:"name"`
	StartupTimeout time.Duration `json:"startup_timeout_ns"`
	RequestTimeout time.Duration `json:"request_timeout_ns"`
	Forget         bool          `json:"forget"`
}

// requestWire is a kernelclient.Request.
type requestWire struct {
	ID         event.ExecID  `json:"id"`
	Cell       event.CellKey `json:"cell"`
	Code       string        `json:"code"`
	Language   string        `json:"language,omitempty"`
	Group      string        `json:"group"`
	GoOn       bool          `json:"go_on"`
	AllowStdin bool          `json:"allow_stdin"`
	Silent     bool          `json:"silent,omitempty"`
	Timeout    time.Duration `json:"timeout_ns"`
	Silence    time.Duration `json:"silence_ns"`
}

// stopRequest ends a context: politely for so long, or by force.
type stopRequest struct {
	Force  bool  `json:"force"`
	Within int64 `json:"within_ms"` // 0 = as long as the host thinks right
}

type cancelRequest struct {
	Exec event.ExecID `json:"exec"`
}

type answerRequest struct {
	Input event.InputID `json:"input"`
	Line  string        `json:"line"`
}

// askRequest is a question about code: one of the methods of kernelclient.Asker, or of
// kernelclient.Folder.
type askRequest struct {
	What   string                    `json:"what"` // complete, inspect, is_complete, history, folder
	Code   string                    `json:"code"`
	Cursor int                       `json:"cursor"`
	Detail int                       `json:"detail"`
	Query  kernelclient.HistoryQuery `json:"query"`
}

// inspectionWire is a kernelclient.Inspection; its bundle is a JSON object of MIME values.
type inspectionWire struct {
	Found bool   `json:"found"`
	Data  string `json:"data"`
}

// line is a line of an event stream that is no event, which its first key tells: "info"
// describes the context before the events that changed it, "end" says that the log is
// over, "error" that it cannot be followed on.
type line struct {
	Line  string       `json:"line"`
	Info  *contextWire `json:"info,omitempty"`
	Error *wireError   `json:"error,omitempty"`
}

const (
	lineBegins = `{"line":`

	infoLine  = "info"
	endLine   = "end"
	errorLine = "error"
)

// jsonLine is v on a line of its own.
func jsonLine(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // our own structs of strings and numbers have nothing to fail at
	}
	return append(data, '\n')
}
