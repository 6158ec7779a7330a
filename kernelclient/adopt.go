package kernelclient

import "context"

// Adoption is a context whose process ended, as that one described it last.
type Adoption struct {
	Info  ContextInfo // its ID, Kernel, Dir, Path, Name, Started and Saved count, and what names the kernel: PID, PIDStart and ConnFile, or Host and Remote
	Start StartSpec   // for a restart; without the environment's values
	Log   LogOptions  // with the History; Gone is for Adopt to set
}

// Adopter is a Host that can take up contexts of a process that ended. It may be used from
// any goroutine.
type Adopter interface {
	// Adopt makes such a context again. Where its kernel is still there it goes on: what ran
	// is followed to its end, what waited runs. Else the context is Dead (LogOptions.Gone)
	// and says why; a restart starts a kernel as Start does. It does not wait for another
	// machine: the driver's Open does that. An error leaves everything as it was: the journal
	// is kept for another try.
	Adopt(ctx context.Context, a Adoption) (Context, error)
}
