package session

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/spill"
	"github.com/nbterm/nbterm/notebook/output"
)

// Options are the settings of a Session.
type Options struct {
	Kernel         string        // --kernel; "" lets the notebook decide
	Existing       string        // --existing: the connection file of the kernel to use, kernelclient.Latest; "" starts one
	Dir            string        // working folder of the kernel, absolute
	Path           string        // of the notebook, absolute: for the kernel's JPY_SESSION_NAME, and to find one left running
	Sum            string        // SHA-256 of the notebook's file as it was read, in hex; "" where there is none yet
	Env            []string      // further K=V for the kernel, never saved
	StartupTimeout time.Duration // 0 = none
	RequestTimeout time.Duration // of connecting and sending; 0 = the host's own limit
	Timeout        time.Duration // of one cell; 0 = none
	GoOn           bool          // a cell's failure does not cancel the cells behind it
	AllowStdin     bool          // somebody can answer input()
	KeepSources    bool          // code that runs changes no source (set_next_input): for a run without a screen
	Lasting        bool          // the host's kernels go on when this program ends: one that was left running is joined
	OutputLimit    int64         // bytes kept of what a cell puts out; 0 = output.DefaultLimit
	Far            bool          // the host is another machine
	Places         []Place       // other hosts that a kernel can be chosen on
}

// Session is a document joined with a code context.
type Session struct {
	doc     *notebook.Document
	host    kernelclient.Host
	opt     Options
	spill   spill.File
	set     *output.Set
	ctx     kernelclient.Context // nil until Start
	stream  *reader
	old     []kernelclient.Context // switched away from; Stop ends them
	places  []*place
	kernel  kernelclient.Kernel
	note    string
	state   event.State
	ran     bool // the kernel's name was offered to the document
	left    bool // ctx was left running by an earlier session
	runs    map[event.ExecID]*run
	status  map[notebook.CellKey]*CellStatus
	active  int                                // executions that have not ended
	awaited []notebook.CellKey                 // cells to run once a kernel is there
	order   uint64                             // counts executions
	failed  string                             // the group that failed last: its rest will not run
	shown   map[notebook.CellKey][]mime.Output // what the document got from here last
	prompt  *Prompt
	epoch   string // of the context's log
	seq     uint64 // of its last event that was applied
	replay  replay
	toDoc   map[event.CellKey]notebook.CellKey // names that the context has for cells
	toHost  map[notebook.CellKey]event.CellKey
	// fileCells are the cells of the file on disk, by the names that the context has for them.
	fileCells []event.CellKey
	answers   answers
	earlier   earlier
	below     below
	words     words
	asked     atomic.Pointer[asked] // ctx for any goroutine
}

// New joins doc with a kernel to be started on host. The session does not own the host.
func New(doc *notebook.Document, host kernelclient.Host, opt Options) *Session {
	s := &Session{
		doc: doc, host: host, opt: opt,
		runs: map[event.ExecID]*run{}, toDoc: map[event.CellKey]notebook.CellKey{}, toHost: map[notebook.CellKey]event.CellKey{},
		status: map[notebook.CellKey]*CellStatus{}, shown: map[notebook.CellKey][]mime.Output{},
	}
	s.earlier = earlier{cells: map[notebook.CellKey]*past{}, limit: MaxEarlierBytes}
	for _, p := range opt.Places {
		s.places = append(s.places, &place{Place: p})
	}
	s.set = output.NewSet(&s.spill, opt.OutputLimit)
	s.fileCells = s.hostKeys(doc.Cells())
	return s
}

// Doc is the session's document.
func (s *Session) Doc() *notebook.Document { return s.doc }

// Started tells whether Start succeeded: from then on Next delivers events.
func (s *Session) Started() bool { return s.ctx != nil }

// Kernel is the kernel in use, zero before Start. note says why it is another than the
// one that the file names.
func (s *Session) Kernel() (k kernelclient.Kernel, note string) { return s.kernel, s.note }

// State is the kernel's state as far as Apply was told. Its zero value is "no kernel yet".
func (s *Session) State() event.State { return s.state }

// PID is the number of the kernel's process on this machine, 0 while there is none or it is
// not known.
func (s *Session) PID() int {
	if s.ctx == nil {
		return 0
	}
	return s.ctx.Info().PID
}

// ID is the host's name for the kernel, "" before Start.
func (s *Session) ID() kernelclient.ContextID {
	if s.ctx == nil {
		return ""
	}
	return s.ctx.Info().ID
}

// Remote waits until it is known what the kernel's host calls it, "" before Start.
func (s *Session) Remote(ctx context.Context) (string, error) {
	if s.ctx == nil {
		return "", nil
	}
	return kernelclient.AwaitRemote(ctx, s.ctx)
}

// Err says why the kernel is dead, nil while it is not.
func (s *Session) Err() error {
	if s.ctx == nil {
		return nil
	}
	return s.ctx.Info().Err
}

// Running tells whether anything runs or waits.
func (s *Session) Running() bool { return s.active > 0 || len(s.awaited) > 0 }

// Choose says which kernel Start would take.
func (s *Session) Choose(ctx context.Context) (kernelclient.Kernel, string, error) {
	kernels, err := s.host.Kernels(ctx)
	if err != nil {
		return kernelclient.Kernel{}, "", err
	}
	return Choose(kernels, s.wish())
}

// Start joins the kernel that an earlier session left running for this notebook, or
// chooses one and starts it. It returns before the kernel is ready. Calling it again does
// nothing.
func (s *Session) Start(ctx context.Context) error {
	if s.ctx != nil {
		return nil
	}
	f, err := s.Find()(ctx)
	if err == nil {
		s.Take(ctx, f)
	}
	return err
}

// startSpec is for starting any kernel for this session; the caller names it.
func (s *Session) startSpec() kernelclient.StartSpec {
	return kernelclient.StartSpec{
		Dir: s.opt.Dir, Env: s.opt.Env, Session: s.opt.Path,
		StartupTimeout: s.opt.StartupTimeout, RequestTimeout: s.opt.RequestTimeout,
	}
}

// use makes c the session's context.
func (s *Session) use(c kernelclient.Context, k kernelclient.Kernel, note string) {
	s.ctx, s.kernel, s.note = c, k, note
	s.asked.Store(&asked{c})
	s.stream, s.left = newReader(c), false
	s.epoch, s.seq, s.replay = "", 0, replay{}
	// What it has become meanwhile comes by Next: only a death that was seen is restarted.
	s.state = event.State{State: event.Starting, Generation: 1}
}

// Next waits for the next batch of the context's events, to be handed to Apply by the
// session's owner. It may be called from any one goroutine, after Start.
func (s *Session) Next(ctx context.Context) ([]event.Event, error) {
	if s.stream == nil {
		return nil, io.EOF
	}
	return s.stream.Next(ctx)
}

// Run puts the code cells among keys into the queue, in this order and as one group. It
// starts the kernel where there is none, and restarts one that died.
func (s *Session) Run(ctx context.Context, keys ...notebook.CellKey) error {
	if err := s.Start(ctx); err != nil {
		return err
	}
	if s.state.State == event.Dead && s.ctx.Info().State.State == event.Dead {
		if err := s.Restart(ctx); err != nil {
			return err
		}
	}
	group := rand.Text()
	for _, key := range keys {
		cell := s.doc.Cell(key)
		if cell == nil || cell.Type != notebook.Code || s.pending(key) {
			continue
		}
		if strings.TrimSpace(cell.Source) == "" {
			s.empty(cell)
			continue
		}
		if err := s.submit(ctx, cell, group); err != nil {
			return err
		}
	}
	return nil
}

// empty is the run of a cell without code: kernels do not count it, and it puts out nothing.
func (s *Session) empty(cell *notebook.Cell) {
	delete(s.status, cell.Key)
	if len(cell.Outputs()) == 0 && cell.Count == 0 {
		return
	}
	s.set.Load(event.CellKey(cell.Key), nil, 0)
	_ = s.doc.SetOutputs(cell.Key, nil, 0) // it fails for read-only notebooks, whose cells are not run
}

// pending tells whether a cell runs or will. What waits behind a failure of its own group
// will not, though its end may be yet to come.
func (s *Session) pending(key notebook.CellKey) bool {
	st := s.status[key]
	return st != nil && st.Phase.Pending() && (st.Phase != Queued || st.group != s.failed)
}

func (s *Session) submit(ctx context.Context, cell *notebook.Cell, group string) error {
	id := event.ExecID(rand.Text())
	s.runs[id] = &run{cell: cell.Key}
	err := s.ctx.Submit(ctx, kernelclient.Request{
		ID: id, Cell: s.hostKey(cell.Key), Code: cell.Source, Language: cell.Language(), Group: group,
		GoOn: s.opt.GoOn, AllowStdin: s.opt.AllowStdin, Timeout: s.opt.Timeout,
	})
	if err != nil {
		delete(s.runs, id)
		return err
	}
	s.active++
	s.load(cell)
	s.order++
	s.status[cell.Key] = &CellStatus{Phase: Queued, Order: s.order, code: cell.Source, exec: id, group: group}
	return nil
}

// Interrupt stops what runs and cancels what waits behind it. It may be called from any
// goroutine.
func (s *Session) Interrupt(ctx context.Context) error {
	c := s.asked.Load()
	if c == nil {
		return nil
	}
	return c.Interrupt(ctx)
}

// Cancel takes a waiting cell out of the queue.
func (s *Session) Cancel(ctx context.Context, key notebook.CellKey) error {
	if s.unawait(key) {
		return nil
	}
	st := s.status[key]
	if s.ctx == nil || st == nil || !st.Phase.Pending() {
		return &kernelclient.Error{Kind: kernelclient.NotFound, What: "the cell is not waiting in the queue"}
	}
	return s.ctx.Cancel(ctx, st.exec)
}

// Restart replaces the kernel by a fresh one. It returns before that one is ready; runs
// handed over meanwhile wait for it. Once the session was started it may be called from
// any goroutine.
func (s *Session) Restart(ctx context.Context) error {
	c := s.asked.Load()
	if c == nil {
		return s.Start(ctx)
	}
	return c.Restart(ctx)
}

// Stop ends the kernel, with force at once. The session can still apply what Next delivers.
func (s *Session) Stop(ctx context.Context, force bool) error {
	err := s.stopOld(ctx, force)
	if s.ctx == nil {
		return err
	}
	return errors.Join(s.ctx.Stop(ctx, force), err)
}

// Close frees what the session holds, after the last Snapshot was written: long outputs
// that were spilled to disk go with it. It does not stop the kernel.
func (s *Session) Close() error {
	if s.stream != nil {
		_ = s.stream.Close() // never fails: it only lets go
	}
	for _, p := range s.places {
		p.close()
	}
	return s.spill.Close()
}

// CellOf is the cell of the document that an execution belongs to.
func (s *Session) CellOf(id event.ExecID) (notebook.CellKey, bool) {
	r := s.runs[id]
	if r == nil || r.cell == "" {
		return "", false
	}
	return r.cell, true
}
