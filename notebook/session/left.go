package session

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
)

// Left returns a function that looks for the kernel which an earlier session left running
// for this notebook, and joins it; it returns nil where there is none. The function may be
// called from any goroutine; the owner hands what it returns to Join.
func (s *Session) Left() func(context.Context) (kernelclient.Context, error) {
	host, path, kernel := s.host, s.opt.Path, s.opt.Kernel
	if !s.opt.Lasting || path == "" || s.opt.Existing != "" {
		return func(context.Context) (kernelclient.Context, error) { return nil, nil }
	}
	return func(ctx context.Context) (kernelclient.Context, error) {
		infos, err := host.Contexts(ctx)
		if err != nil {
			return nil, err
		}
		best := -1
		for i, info := range infos {
			if cmp.Or(info.Saved.Path, info.Path) != path || kernel != "" && !strings.EqualFold(kernel, info.Kernel.Name) {
				continue
			}
			if best < 0 || better(info, infos[best]) {
				best = i
			}
		}
		if best < 0 {
			return nil, nil
		}
		return host.Attach(ctx, infos[best].ID)
	}
}

// better tells whether a is rather joined than b: one that lives, the newer one.
func better(a, b kernelclient.ContextInfo) bool {
	if dead := a.State.State == event.Dead; dead != (b.State.State == event.Dead) {
		return !dead
	}
	return a.Started.After(b.Started)
}

// Join makes a context that was left running the session's, which has none yet. What it
// put out meanwhile comes by Next.
func (s *Session) Join(c kernelclient.Context) {
	info := c.Info()
	s.use(c, info.Kernel, "joined the kernel that was left running")
	s.left = true
	s.awaitJoined()
	if info.State.State != event.Dead { // only a death that was seen is restarted
		s.state = info.State
	}
}

// Lasts tells whether the kernel can go on without this program.
func (s *Session) Lasts() bool {
	return s.opt.Lasting && s.ctx != nil && s.state.State != event.Dead && !s.ctx.Info().Foreign
}

// Users returns a function that asks how many programs use the kernel, this one included;
// 0 where that is not known. The function may be called from any goroutine.
func (s *Session) Users() func(context.Context) int {
	host, c := s.host, s.ctx
	return func(ctx context.Context) int {
		if c == nil {
			return 0
		}
		infos, _ := host.Contexts(ctx) // a host that cannot say knows of nobody else
		for _, info := range infos {
			if info.ID == c.Info().ID {
				return info.Clients
			}
		}
		return 0
	}
}

// Joining tells whether outputs of a kernel that was left running are on their way.
func (s *Session) Joining() bool { return s.left && s.replay.active }

// Joined tells whether the session's kernel was left running by an earlier session, and
// all that it had put out until then was taken over.
func (s *Session) Joined() bool { return s.left && s.ctx != nil && !s.replay.active }

// Detach lets go of the kernel, which goes on where the host does. Kernels that were
// switched away from end.
func (s *Session) Detach(ctx context.Context) error {
	err := s.stopOld(ctx, false)
	if s.ctx == nil {
		return err
	}
	return errors.Join(s.ctx.Close(), err)
}

// Mark says which of the kernel's events a snapshot of the document has, if the two are
// taken at the same time.
type Mark struct {
	cursor kernelclient.Cursor
	cells  []event.CellKey
}

// Mark returns the present one.
func (s *Session) Mark() Mark {
	m := Mark{cells: s.hostKeys(s.doc.Cells())}
	if s.epoch == "" {
		return m
	}
	m.cursor = kernelclient.Cursor{Epoch: s.epoch, Seq: s.seq}
	for _, r := range s.runs { // what belongs to no cell is in no file
		if r.cell == "" && r.seq <= m.cursor.Seq {
			m.cursor.Seq = r.seq - 1
		}
	}
	return m
}

// Saved says that the file at path, whose bytes have this SHA-256 sum (in hex), has what m
// was taken with. The owner calls it after each save; what it returns tells the host, may
// be called from any goroutine and is nil where there is nobody to be told.
func (s *Session) Saved(m Mark, path, sum string) func(context.Context) error {
	s.opt.Path, s.opt.Sum, s.fileCells = path, sum, m.cells
	return s.tell(m.cursor)
}

// Reloaded is Saved for a document that took over what another program wrote into its
// file. Another session with the same kernel may have been that program, and have told the
// host; then cells may have come that runs belong to.
func (s *Session) Reloaded(path, sum string) func(context.Context) error {
	s.opt.Path, s.opt.Sum, s.fileCells = path, sum, s.hostKeys(s.doc.Cells())
	for _, r := range s.runs {
		if r.cell == "" {
			s.Rematch()
			break
		}
	}
	if s.ctx != nil && s.ctx.Info().Saved.SHA256 == sum {
		return nil
	}
	return s.tell(kernelclient.Cursor{})
}

func (s *Session) tell(cursor kernelclient.Cursor) func(context.Context) error {
	if s.ctx == nil || s.opt.Path == "" {
		return nil
	}
	c := s.ctx
	mark := kernelclient.SaveMark{Path: s.opt.Path, SHA256: s.opt.Sum, Cursor: cursor, Cells: s.fileCells}
	return func(ctx context.Context) error { return c.Saved(ctx, mark) }
}

// hostKeys are the names that the context knows cells by.
func (s *Session) hostKeys(cells []*notebook.Cell) []event.CellKey {
	keys := make([]event.CellKey, len(cells))
	for i, c := range cells {
		keys[i] = s.hostKey(c.Key)
	}
	return keys
}
