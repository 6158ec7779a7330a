package sshlink

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/nbterm/nbterm/kernelclient"
)

const (
	firstPause = time.Second // after a try that failed, then longer
	lastPause  = 30 * time.Second
	tryTime    = time.Minute // for a try without somebody who answers questions
)

// ErrInterrupted is the error of a Connect that Ctrl-C ended, while ssh asked for something.
var ErrInterrupted = errors.New("ssh was interrupted")

// Options are for New.
type Options struct {
	// Host is the other machine as ssh takes it: [user@]name, or ssh://[user@]name[:port].
	Host string
	// Program is the ssh to run, "" for the one in PATH; Args come before its other ones.
	Program string
	Args    []string
	// Stderr is told what ssh and the other machine say while Connect waits; nil for nobody.
	Stderr io.Writer
	// Copy is asked by Connect when nbterm is missing there, and returns the program to be
	// put there; an error is Connect's. nil: nothing is put there.
	Copy func(ctx context.Context, system string) (Program, error)
}

// Program is a program for another machine.
type Program struct {
	io.ReadCloser
	Size int64
	Sum  string // SHA-256 in hexadecimal digits
}

// Link reaches the host process of another machine, and reaches it again when the connection
// was lost. It may be used from any goroutine.
type Link struct {
	opt  Options
	deaf time.Duration // as the constant, but for tests
	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup // the tries and the ends of connections

	mu      sync.Mutex // guards all below
	now     *yamux.Session
	try     *try
	pause   time.Duration
	rest    time.Time // when the next try may be
	refused error     // of the last try
}

// try is an attempt to connect that somebody waits for.
type try struct {
	done chan struct{} // closed when the rest is set
	now  *yamux.Session
	err  error
}

// New returns a link. It connects to nothing yet.
func New(opt Options) *Link {
	life, end := context.WithCancel(context.Background())
	return &Link{opt: opt, deaf: deaf, life: life, end: end}
}

// Close ends all connections, and waits until ssh has ended.
func (l *Link) Close() error {
	l.end()
	l.wg.Wait()
	return nil
}

// Connect makes the first connection. ssh may ask for passwords on the terminal, so it is to
// be called before something else uses that. The error is a *kernelclient.Error of kind
// Disconnect, ErrInterrupted, or what Options.Copy returned.
func (l *Link) Connect(ctx context.Context) error {
	l.mu.Lock()
	up := l.alive()
	l.mu.Unlock()
	if up != nil {
		return nil
	}
	now, err := l.connect(ctx, true)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now, l.pause, l.refused = now, 0, nil
	return nil
}

// Dial connects to the host process there. Where the link was lost it is made anew, without
// asking anybody for anything; after a try that failed there is a pause, and its error until
// then. Errors are *kernelclient.Error of kind Disconnect.
func (l *Link) Dial(ctx context.Context) (net.Conn, error) {
	for {
		now, err := l.session(ctx)
		if err != nil {
			return nil, err
		}
		conn, err := now.OpenStream()
		if err == nil {
			return conn, nil
		}
		if !now.IsClosed() {
			return nil, l.broken(err)
		}
	}
}

func (l *Link) broken(err error) error {
	return &kernelclient.Error{Kind: kernelclient.Disconnect, What: "the ssh connection to " + l.opt.Host + " broke", Err: err}
}

// alive is the session, nil if there is none that lives. mu is held.
func (l *Link) alive() *yamux.Session {
	if l.now != nil && l.now.IsClosed() {
		l.now = nil
	}
	return l.now
}

// session is the connection there is, or a new one.
func (l *Link) session(ctx context.Context) (*yamux.Session, error) {
	l.mu.Lock()
	if now := l.alive(); now != nil {
		l.mu.Unlock()
		return now, nil
	}
	if l.try == nil {
		if l.life.Err() != nil {
			l.mu.Unlock()
			return nil, l.broken(net.ErrClosed)
		}
		if l.refused != nil && time.Now().Before(l.rest) {
			defer l.mu.Unlock()
			return nil, l.refused
		}
		l.try = &try{done: make(chan struct{})}
		t := l.try
		l.wg.Go(func() { l.attempt(t) })
	}
	t := l.try
	l.mu.Unlock()
	select {
	case <-t.done:
		return t.now, t.err
	case <-ctx.Done():
		return nil, l.broken(context.Cause(ctx))
	}
}

// attempt tries to connect once, for all who wait.
func (l *Link) attempt(t *try) {
	ctx, cancel := context.WithTimeout(l.life, tryTime)
	defer cancel()
	t.now, t.err = l.connect(ctx, false)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.try, l.now, l.refused = nil, t.now, t.err
	if t.err == nil {
		l.pause = 0
	} else {
		l.pause = min(cmp.Or(2*l.pause, firstPause), lastPause)
		l.rest = time.Now().Add(l.pause)
	}
	close(t.done)
}
