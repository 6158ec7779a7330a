package kernelclient

import (
	"context"
	"time"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Host is a place where code contexts live. It may be used from any goroutine.
type Host interface {
	// Kernels lists what can be started here, broken ones too.
	Kernels(ctx context.Context) ([]Kernel, error)
	// Contexts lists what runs here.
	Contexts(ctx context.Context) ([]ContextInfo, error)
	// Start starts a kernel and returns at once or soon: the Context tells by a State event
	// when it is ready, and takes requests before that. An unknown name is NotFound.
	Start(ctx context.Context, spec StartSpec) (Context, error)
	// Attach joins a context that runs here. An unknown id is NotFound.
	Attach(ctx context.Context, id ContextID) (Context, error)
	// Close lets go of the host. It ends no context.
	Close() error
}

// ContextID names a context on its host.
type ContextID string

// Kernel is something that can be started.
type Kernel struct {
	Name        string // what --kernel and a notebook's kernelspec call it
	DisplayName string
	Language    string // as the kernelspec writes it, such as "python"
	Found       string // where: a folder, "built in"
	Broken      string // why it cannot be started, "" if it can
	Env         string // the Python environment that it is of: a folder, "" for none
	// Elsewhere: that environment is neither activated nor the nearest to the notebook, so
	// the kernel is taken only where it is asked for. Its Name is no kernelspec's: another
	// program knows such a kernel as python3.
	Elsewhere bool
}

// The Names of the kernels that come with nbterm.
const (
	BuiltinPython  = "builtin-python"
	BuiltinIPython = "builtin-ipython" // taken only where it is asked for
	BuiltinShell   = "builtin-shell"
)

// StartSpec says what to start.
type StartSpec struct {
	Kernel         string        // a Kernel's Name
	Dir            string        // working folder, absolute
	Env            []string      // further K=V, never saved
	Session        string        // the notebook's path for JPY_SESSION_NAME, "" for none
	Root           string        // what the code may write to on a host that isolates it; "" = the host's own choice
	Name           string        // of a context that is kept on purpose, "" for none
	StartupTimeout time.Duration // until the first kernel_info_reply; 0 = none
	RequestTimeout time.Duration // of connecting and sending; 0 = the host's own limit
	// Forget lets the log drop what every follower that is there has taken: who follows
	// later begins at what is still kept. For runs that nobody joins.
	Forget bool
}

// Short is enough of an id to type: commands take any beginning that is of one context alone.
func (id ContextID) Short() string { return string(id[:min(8, len(id))]) }

// ContextInfo describes a context.
type ContextInfo struct {
	ID      ContextID
	Kernel  Kernel
	Dir     string
	Path    string // of the notebook it was started for, absolute; "" for none
	Name    string // that its user gave it, "" for none
	Foreign bool   // another program started it (Joiner.Existing) and ends it
	Started time.Time
	// Host is the address of where it runs, as --host takes it but without anything secret;
	// "" is this machine. Remote is what that host calls it (a kernel's id, a sandbox's),
	// enough for another process to find it again; "" until it is known.
	Host    string
	Remote  string
	Expires time.Time // when its host ends it unless that is put off; zero = never, or not known
	State   event.State
	Running int      // executions that run
	Waiting int      // executions in the queue
	Last    Cursor   // of the newest event
	Saved   SaveMark // what Saved was told last
	Clients int      // programs that follow it, as of when it was listed; 0 where nobody counts
	// PID is the kernel's process on this machine, 0 if unknown; PIDStart is when it was
	// started, in the system's own unit: together they name one process.
	PID      int
	PIDStart int64
	ConnFile string // a Jupyter kernel's connection file, "" for none
	// Language is the kernel's own language_info (kernel_info_reply), nil until it is ready.
	Language rawjson.Value
	// Err says why the state is Dead: a *Death, a *TimeoutError, what the start failed with.
	Err error
}

// Capabilities says what a context can do. The UI asks this record, never the host's type.
type Capabilities struct {
	Stream    bool // output arrives while code runs
	State     bool // state lasts from one execution to the next
	Interrupt bool
	Restart   bool
	Stdin     bool // code may ask the user for a line
	Complete  bool // Ask can complete code
	Inspect   bool // Ask can tell about a name
	Folder    bool // Ask can tell the kernel's working folder, and maybe nothing else
	Updates   bool // code can change a display that is shown (display_id), and clear outputs
	Languages bool // a Request may name a language of its own
}

// Asked tells whether Ask gives somebody to ask.
func (c Capabilities) Asked() bool { return c.Complete || c.Inspect || c.Folder }

// Request is one execution to be.
type Request struct {
	ID         event.ExecID
	Cell       event.CellKey
	Code       string
	Language   string // of this code alone, in lower case; "" = the context's own. Without Capabilities.Languages it counts for nothing
	Group      string // requests of one group (a "run all"): a failure cancels those still waiting
	GoOn       bool   // a failure of this request cancels nothing
	AllowStdin bool   // somebody can answer input()
	// Silent is for what a program runs for itself: Jupyter kernels and the built-in ones
	// neither count nor keep it, and tell no result. Other kernels know no difference.
	Silent  bool
	Timeout time.Duration // from its start; 0 = none
	Silence time.Duration // without any output, a question's wait apart; 0 = none
}

// Context is one language runtime and the log of what happens in it. It may be used from
// any goroutine. A context.Context bounds the hand-over only: cancelling it interrupts nothing.
type Context interface {
	Info() ContextInfo
	// Capabilities may change; a State event announces it.
	Capabilities() Capabilities
	// Submit puts a request at the end of the queue. Submitting an ID again is no error and
	// does nothing. A dead context refuses with Gone until it is restarted.
	Submit(ctx context.Context, r Request) error
	// Follow reads the log after the cursor; the zero Cursor is the oldest event that is
	// kept. Any number may follow at once.
	Follow(after Cursor) Stream
	// Cancel takes a request out of the queue; NotFound if it runs or ended.
	Cancel(ctx context.Context, id event.ExecID) error
	// Interrupt stops what runs and cancels what waits in the same group.
	Interrupt(ctx context.Context) error
	// Answer answers an InputRequest: ErrAnswered if it is open no longer.
	Answer(ctx context.Context, id event.InputID, line string) error
	// Restart replaces the kernel: same context, next generation. Runs end as Restarted.
	Restart(ctx context.Context) error
	// Saved says that a file has what was put out up to a place: the log need not keep it
	// any longer. It is called after each save, and once when a file was opened.
	Saved(ctx context.Context, mark SaveMark) error
	// Ask is for questions about code; nil where neither Complete nor Inspect is among the capabilities.
	Ask() Asker
	// Stop ends the kernel and the context: politely, or with force at once.
	Stop(ctx context.Context, force bool) error
	// Close detaches; a local kernel started by this process goes on only as long as the process.
	Close() error
}

// Stream is one reader of a log. Next and Close may be called from different goroutines.
type Stream interface {
	// Next waits for events and returns all that are there, adjacent stream text joined,
	// up to some MiB a batch. io.EOF: the context was stopped or the stream closed.
	// ErrCompacted: what came behind the cursor is kept no more; nothing but Close is of use.
	Next(ctx context.Context) ([]event.Event, error)
	// Cursor is the place behind the last event that Next returned. It never waits.
	Cursor() Cursor
	Close() error
}
