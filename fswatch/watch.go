package fswatch

import (
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"sync"
	"time"
)

// NewWatcher makes a Watcher for an FS: by its own Notifier, else by one watch a folder, else
// by listing the folders every two seconds.
func NewWatcher(f FS) Watcher {
	w := &watcher{fs: f, kick: make(chan struct{}, 1), ready: make(chan struct{}, 1), done: make(chan struct{}), dirty: map[Path]*touched{}}
	if n, ok := f.(Notifying); ok {
		w.notes, w.noPush = n.Notifier()
	} else if f.Capabilities().Push {
		w.notes = newStreams(f)
	}
	w.mode = ModePush
	if w.notes == nil {
		w.mode, w.reason = ModePoll, w.noPush
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	l := &loop{watcher: w, ctx: ctx, folders: map[Path]*folder{}, looked: make(chan map[Path]look)}
	go l.run()
	return w
}

// watcher is what others call; a loop does the work.
type watcher struct {
	fs     FS
	notes  Notifier // nil: everything is polled
	noPush error    // why it is nil, if the FS said
	kick   chan struct{}
	ready  chan struct{} // holds one: there is something for Next
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex // guards all below
	want    []Path
	dirty   map[Path]*touched
	resync  bool
	newMode bool // since the last Next
	mode    Mode
	reason  error
}

// Want is Watcher's.
func (w *watcher) Want(dirs []Path) {
	w.mu.Lock()
	w.want = slices.Clone(dirs)
	w.mu.Unlock()
	wake(w.kick)
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Next is Watcher's.
func (w *watcher) Next(ctx context.Context) (Change, error) {
	for {
		if change, ok := w.take(); ok {
			return change, nil
		}
		select {
		case <-w.ready:
		case <-w.done:
			return Change{}, io.EOF
		case <-ctx.Done():
			return Change{}, ctx.Err()
		}
	}
}

func (w *watcher) take() (Change, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dirty) == 0 && !w.resync && !w.newMode {
		return Change{}, false
	}
	c := Change{Dirty: slices.Sorted(maps.Keys(w.dirty)), Resync: w.resync}
	for dir, t := range w.dirty {
		if names := t.list(); names != nil {
			if c.Names == nil {
				c.Names = map[Path][]string{}
			}
			c.Names[dir] = names
		}
	}
	clear(w.dirty)
	w.resync, w.newMode = false, false
	return c, true
}

// Mode is Watcher's.
func (w *watcher) Mode() (Mode, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mode, w.reason
}

// Close is Watcher's.
func (w *watcher) Close() error {
	w.cancel()
	<-w.done
	return nil
}

// folder is one wanted folder.
type folder struct {
	pushed bool
	why    error // else why not; nil while it is not known, or if nothing is ever pushed
	seen   look  // of a polled folder
	polls  int
}

// again tells whether it is to be reported once that is possible, and till then not polled:
// it cannot be listed either.
func (f *folder) again() bool {
	var timeout *TimeoutError
	for _, k := range []Kind{NotFound, Permission, Disconnect, RateLimited} {
		if errors.Is(f.why, k) {
			return true
		}
	}
	return errors.As(f.why, &timeout)
}

// loop owns the wanted folders.
type loop struct {
	*watcher
	ctx     context.Context
	folders map[Path]*folder
	pace    pace
	pending map[Path]*touched // changed and not told
	all     bool
	flush   *time.Timer
	tick    *time.Timer        // runs only while a folder is not pushed
	ticking bool               // it does
	looked  chan map[Path]look // what a look found
	looking bool               // one is on its way
	stale   bool               // whether folders are pushed may have changed
	open    int                // how many are not: while all are, a report costs no walk over them
	wg      sync.WaitGroup     // of it
}

func (l *loop) run() {
	defer close(l.done)
	defer l.wg.Wait()
	if l.notes != nil {
		defer l.notes.Close()
	}
	l.pending = map[Path]*touched{}
	l.flush, l.tick = stopped(), stopped()
	defer l.flush.Stop()
	defer l.tick.Stop()
	var wake <-chan struct{}
	if l.notes != nil {
		wake = l.notes.Wake()
	}
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-l.kick:
			l.update()
		case <-wake:
			l.noticed(l.notes.Take())
		case <-l.tick.C:
			l.ticking = false
			l.retry(func(Path) bool { return true })
			l.look(false)
		case found := <-l.looked:
			l.looking = false
			l.compare(found)
		case <-l.flush.C:
			l.tell()
		}
		l.after()
	}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// update makes the watched folders what is wanted.
func (l *loop) update() {
	l.mu.Lock()
	want := make(map[Path]bool, len(l.want))
	for _, d := range l.want {
		want[d] = true
	}
	l.mu.Unlock()
	for dir := range l.folders {
		if !want[dir] {
			delete(l.folders, dir)
			delete(l.pending, dir)
			if l.notes != nil {
				l.notes.Remove(dir)
			}
		}
	}
	for dir, f := range l.folders { // there may be room again
		if l.notes != nil && f.why != nil && !f.again() {
			l.add(dir, f)
		}
	}
	for dir := range want {
		if l.folders[dir] == nil {
			f := &folder{}
			l.folders[dir] = f
			l.add(dir, f)
		}
	}
	l.stale = true
	l.recount()
	l.look(true)
}

// add tries to have a folder reported.
func (l *loop) add(dir Path, f *folder) {
	if l.notes == nil {
		f.why = l.noPush
		return
	}
	watched, err := l.notes.Add(dir)
	known := f.why != nil
	l.stale = true
	f.pushed, f.why = watched, err
	switch {
	case watched:
		l.mark(dir, true)
	case err != nil && !known && f.again():
		l.mark(dir, true) // that it cannot be listed is news too
	}
}

// retry tries the folders again that could not be watched for the time being.
func (l *loop) retry(which func(Path) bool) {
	if l.notes == nil || l.open == 0 {
		return
	}
	for dir, f := range l.folders {
		if f.again() && which(dir) {
			l.add(dir, f)
		}
	}
}

// noticed takes what was reported.
func (l *loop) noticed(notices []Notice) {
	told := make(map[Path]bool, len(notices))
	for _, n := range notices {
		if n.All {
			l.all = true
			for dir := range l.folders {
				l.mark(dir, false)
			}
			continue
		}
		f := l.folders[n.Dir]
		if f == nil {
			continue
		}
		told[n.Dir] = true
		first := !f.pushed
		l.stale = l.stale || first || n.Err != nil
		f.pushed, f.why = n.Err == nil, n.Err
		if first || n.Err != nil {
			n.Names = nil
		}
		l.mark(n.Dir, first && n.Err == nil, n.Names...)
	}
	l.recount()
	l.retry(func(dir Path) bool { return told[path.Dir(dir)] })
	l.look(true)
}

// mark notes that these entries of a folder changed, or without names that any may have; at
// once says that it need not wait for others.
func (l *loop) mark(dir Path, atOnce bool, names ...string) {
	touch(l.pending, dir, names...)
	now := time.Now()
	if atOnce {
		l.flush.Reset(0)
		return
	}
	l.flush.Reset(max(l.pace.change(now).Sub(now), 0))
}

// tell gives what changed to whoever calls Next.
func (l *loop) tell() {
	l.pace.told()
	l.mu.Lock()
	for dir, t := range l.pending {
		touch(l.dirty, dir, t.list()...)
	}
	l.resync = l.resync || l.all
	l.mu.Unlock()
	clear(l.pending)
	l.all = false
	wake(l.ready)
}

// after keeps the tick and Mode as the folders need them.
func (l *loop) after() {
	l.recount()
	if l.open > 0 && !l.ticking {
		l.ticking = true
		l.tick.Reset(pollTime)
	}
}

// recount finds out which folders are not pushed, and what Mode is by that.
func (l *loop) recount() {
	if !l.stale {
		return
	}
	l.stale, l.open = false, 0
	var why error
	for _, f := range l.folders {
		if f.pushed {
			continue
		}
		l.open++
		if f.why != nil && !errors.Is(f.why, NotFound) && !errors.Is(f.why, Permission) {
			why = f.why
		}
	}
	l.setMode(why)
}

func (l *loop) setMode(why error) {
	mode := ModePush
	if l.notes == nil || why != nil {
		mode = ModePoll
	}
	l.mu.Lock()
	changed := l.mode != mode
	if changed {
		l.mode, l.newMode = mode, true
	}
	if mode == ModePush || l.notes != nil {
		l.reason = why
	}
	l.mu.Unlock()
	if changed {
		wake(l.ready)
	}
}
