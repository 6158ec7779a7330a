package event

import (
	"time"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// ExecID names one execution. The submitter picks it; it is unique within a context.
type ExecID string

// CellKey is the submitter's name for what is run; opaque here.
type CellKey string

// InputID names one open question to the user. It is unique within a context.
type InputID string

// Event is one thing that happened in a context.
type Event struct {
	Seq  uint64    // ascending; given by the Log, never by a driver
	Time time.Time // when the Log took it, or when the host says that it happened
	Exec ExecID    // "" = of no run (state, kernel log, another client's doing)
	Late bool      // it came after its execution's Ended (threads, tasks)
	Body Body
}

// Body is what happened: one of the types of this package.
type Body interface{ body() }

// Queued is the first event of every execution. What follows Code is of the request too,
// so that a queue can be taken up again from the record alone.
type Queued struct {
	Cell       CellKey
	Code       string
	Language   string // of the code alone, "" = the context's own
	Group      string
	GoOn       bool
	AllowStdin bool
	Timeout    time.Duration
	Silence    time.Duration
}

// Accepted says that the execution left the queue and was handed to the kernel.
type Accepted struct{}

// Started says that the kernel began. Count is its execution count, 0 where it gives none.
type Started struct{ Count int }

// Stream is text written to stdout or stderr.
type Stream struct {
	Name string // "stdout" or "stderr"
	Text string
}

// Result is the value of an execution's last expression.
type Result struct {
	Count    int
	Data     mime.Bundle
	Metadata rawjson.Value
}

// Display is a rich output. ID is its display_id, "" for none.
type Display struct {
	ID       string
	Data     mime.Bundle
	Metadata rawjson.Value
}

// Update replaces every output shown under ID, in whatever cell, and adds none.
type Update struct {
	ID       string
	Data     mime.Bundle
	Metadata rawjson.Value
}

// Clear empties the outputs of its execution's cell: at once, or with Wait when the next output comes.
type Clear struct{ Wait bool }

// Error is an exception that ended an execution.
type Error struct {
	Name, Value string
	Traceback   []string
}

// InputRequest asks the user for a line. Password asks for one that is not echoed or kept.
type InputRequest struct {
	ID       InputID
	Prompt   string
	Password bool
}

// InputClosed says that a question is open no longer: answered, interrupted or its run ended.
type InputClosed struct{ ID InputID }

// Payload is an instruction of the kernel to the front end: "page", "set_next_input",
// "ask_exit" (messaging protocol, "Payloads"). Data is its whole JSON object.
type Payload struct {
	Source string
	Data   rawjson.Value
}

// Ended is the last event of an execution's life, and there is exactly one. Output that
// comes after it is marked Late.
type Ended struct {
	Reason Reason
	Detail string // for people: how it died, which clock ran out; "" where Reason says it all
	Count  int    // the execution count, 0 for none
}

// Reason is why an execution ended. The words are those of `nbterm exec --json`.
type Reason string

// The reasons. Only Done is success.
const (
	Done        Reason = "done"
	Failed      Reason = "error"
	Interrupted Reason = "interrupted"
	TimedOut    Reason = "timeout"
	Died        Reason = "died"      // the kernel ended while it ran
	Lost        Reason = "lost"      // the way to the kernel broke for good
	Restarted   Reason = "restarted" // the kernel was restarted while it ran or waited
	Cancelled   Reason = "cancelled" // it never ran
)

// State is the kernel's state. Every restart has the next Generation; the first is 1.
type State struct {
	State      KernelState
	Generation int
	Detail     string // for Dead: signal or exit code and the last words; for Reconnecting: the cause
}

// KernelState is a kernel's state in one word.
type KernelState string

// ExitedByCode is the Detail of a Dead kernel that its own code asked to exit: nothing went wrong.
const ExitedByCode = "the kernel ended by its code (exit)"

// Stopped is the Detail of a Dead kernel that somebody stopped on purpose.
const Stopped = "stopped"

// The states. Busy and Idle are about user code only: a completion does not make a kernel busy.
const (
	Starting     KernelState = "starting"
	Idle         KernelState = "idle"
	Busy         KernelState = "busy"
	Restarting   KernelState = "restarting"
	Reconnecting KernelState = "reconnecting"
	// NotResponding is a kernel whose heartbeat stopped while a run is under way. It may go on.
	NotResponding KernelState = "not responding"
	Dead          KernelState = "dead"
)

// Gap says that something was lost on the way here, and what is known of it.
type Gap struct{ Detail string }

// Joined says that what follows is a log of this Epoch from its oldest event on: what was
// known of its runs is to be built anew. Who follows a log makes it; no log has it.
type Joined struct{ Epoch string }

// Unknown is a message of a type that nbterm does not know.
type Unknown struct {
	Type    string
	Content rawjson.Value
}

func (Queued) body()       {}
func (Accepted) body()     {}
func (Started) body()      {}
func (Stream) body()       {}
func (Result) body()       {}
func (Display) body()      {}
func (Update) body()       {}
func (Clear) body()        {}
func (Error) body()        {}
func (InputRequest) body() {}
func (InputClosed) body()  {}
func (Payload) body()      {}
func (Ended) body()        {}
func (State) body()        {}
func (Gap) body()          {}
func (Joined) body()       {}
func (Unknown) body()      {}
