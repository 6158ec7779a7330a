package session

import (
	"context"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook"
)

// asked is the context, for goroutines other than the owner's.
type asked struct{ kernelclient.Context }

// Asked says what a question was about. Between a question and its answer the user may
// have typed on: whoever uses the answer asks Fresh first.
type Asked struct {
	Cell   notebook.CellKey
	Source string
	Offset int // the cursor, in bytes of Source
}

// Fresh tells whether the cursor is where it was when the question was asked.
func (a Asked) Fresh(cell notebook.CellKey, source string, offset int) bool {
	return a == Asked{cell, source, offset}
}

// Completion is what could stand at the cursor; Start and End are bytes of Source.
type Completion struct {
	Asked
	kernelclient.Completion
}

// Inspection is what the kernel knows of the thing at the cursor.
type Inspection struct {
	Asked
	kernelclient.Inspection
}

// Complete asks the kernel what could stand at a byte of a cell's source. It may be called
// from any goroutine and waits for the answer: kernelclient.ErrBusy while code runs (Words
// has something then), else as kernelclient.Asker says; Gone where no kernel was started
// yet, and Unsupported where it cannot be asked. It starts no kernel.
func (s *Session) Complete(ctx context.Context, key notebook.CellKey, source string, offset int) (Completion, error) {
	about := Asked{key, source, offset}
	ask, err := s.asker(func(c kernelclient.Capabilities) bool { return c.Complete }, "complete code")
	if err != nil {
		return Completion{Asked: about}, err
	}
	c, err := ask.Complete(ctx, source, clamp(offset, source))
	return Completion{about, c}, err
}

// Inspect asks the kernel about the thing at a byte of a cell's source, with detail 1 for
// its source text too. It may be called from any goroutine and fails as Complete does.
func (s *Session) Inspect(ctx context.Context, key notebook.CellKey, source string, offset, detail int) (Inspection, error) {
	about := Asked{key, source, offset}
	ask, err := s.asker(func(c kernelclient.Capabilities) bool { return c.Inspect }, "tell about code")
	if err != nil {
		return Inspection{Asked: about}, err
	}
	i, err := ask.Inspect(ctx, source, clamp(offset, source), detail)
	return Inspection{about, i}, err
}

// KernelFolder asks the kernel for its working folder, as its own machine names it. It may be
// called from any goroutine and fails as Complete does. It starts no kernel.
func (s *Session) KernelFolder(ctx context.Context) (string, error) {
	anyone := func(kernelclient.Capabilities) bool { return true }
	ask, err := s.asker(anyone, "tell its working folder")
	if err != nil {
		return "", err
	}
	return kernelclient.FolderOf(ctx, ask)
}

// asker is whom to ask, if the kernel can do what is wanted.
func (s *Session) asker(can func(kernelclient.Capabilities) bool, what string) (kernelclient.Asker, error) {
	c := s.asked.Load()
	if c == nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Gone, What: "no kernel runs yet", Next: "run a cell to start one"}
	}
	ask := c.Ask()
	switch {
	case ask != nil && can(c.Capabilities()):
		return ask, nil
	case !settled(c.Info().State.State):
		return nil, &kernelclient.Error{Kind: kernelclient.Gone, What: "the kernel is not ready yet"}
	}
	return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: "this kernel cannot " + what}
}

// settled tells whether a kernel's capabilities are known.
func settled(s event.KernelState) bool { return s != event.Starting && s != event.Restarting }

func clamp(offset int, source string) int { return max(0, min(offset, len(source))) }
