package fswatch

import "sync"

// Notifier reports changes in many single folders by one mechanism of an FS, for
// NewWatcher. Add, Remove and Close are called by one goroutine at a time.
type Notifier interface {
	// Add begins to report a folder and does not wait for a round trip. watched is false
	// where it is not known yet: then the first Notice about the folder tells. An error says
	// why it cannot be reported now: NotFound, Permission and Disconnect are tried again,
	// for anything else the folder is polled.
	Add(dir Path) (watched bool, err error)

	// Remove ends reporting a folder, which need not be reported.
	Remove(dir Path)

	// Wake receives when Take has something.
	Wake() <-chan struct{}

	// Take returns what happened since the last call.
	Take() []Notice

	// Close ends all reports and waits until they ended.
	Close() error
}

// Notifying is an FS with a Notifier of its own. NewWatcher opens one stream a folder for
// an FS that has none.
type Notifying interface {
	Notifier() (Notifier, error)
}

// Notice says that something happened in a folder.
type Notice struct {
	Dir   Path     // as given to Add; with All it is empty
	Names []string // the entries that it happened to; nil: to any
	All   bool     // reports were lost: anything may have happened
	Err   error    // it is not reported any more, and why
}

// Notices collects what a Notifier has to tell: a folder once, however much happens in it.
// The zero value is not usable: NewNotices. Its methods may be called from any goroutine.
type Notices struct {
	wake chan struct{} // holds one
	mu   sync.Mutex    // guards both
	dirs map[Path]*notice
	all  bool
}

// notice is what there is to tell of one folder.
type notice struct {
	touched
	err error
}

// NewNotices makes an empty collection.
func NewNotices() *Notices {
	return &Notices{wake: make(chan struct{}, 1), dirs: map[Path]*notice{}}
}

// Put adds a notice. It never waits.
func (n *Notices) Put(put Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if put.All {
		n.all = true
	} else {
		own := n.dirs[put.Dir]
		if own == nil {
			own = &notice{}
			n.dirs[put.Dir] = own
		}
		own.add(put.Names...)
		if put.Err != nil {
			own.err = put.Err
		}
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Drop forgets what there is about a folder.
func (n *Notices) Drop(dir Path) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.dirs, dir)
}

// Wake is Notifier's.
func (n *Notices) Wake() <-chan struct{} { return n.wake }

// Take is Notifier's.
func (n *Notices) Take() []Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]Notice, 0, len(n.dirs)+1)
	for dir, own := range n.dirs {
		all = append(all, Notice{Dir: dir, Names: own.list(), Err: own.err})
	}
	if n.all {
		all = append(all, Notice{All: true})
	}
	clear(n.dirs)
	n.all = false
	return all
}
