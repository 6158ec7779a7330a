package jupyterserver

import (
	"context"
	"fmt"
	"time"

	"github.com/nbterm/nbterm/internal/pause"
	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/jupyter"
)

// times are how long a way to a kernel may be silent or broken before something is done.
type times struct {
	ping    time.Duration // how often a sign of life is asked for: proxies drop what is silent for a minute, some for half of one
	silent  time.Duration // how long nothing may arrive before the way is called broken
	tell    time.Duration // how long it may be broken before that is told: most breaks are mended at once
	attempt time.Duration // bounds one attempt to get through
	first   time.Duration // between attempts, twice as long each time …
	last    time.Duration // … and at most this
	giveUp  time.Duration // how long a server may be away; what runs there has ended for us then
}

func usualTimes() times {
	return times{
		ping: 10 * time.Second, silent: 20 * time.Second, tell: time.Second, attempt: 20 * time.Second,
		first: 250 * time.Millisecond, last: 5 * time.Second, giveUp: 10 * time.Minute,
	}
}

// keep sees to it that there is a way to the kernel, until that is hopeless.
func (k *conn) keep(l *link) {
	for {
		silent := time.NewTimer(k.client.times.silent)
		broken, why := false, ""
		for !broken {
			select {
			case <-k.ctx.Done():
				silent.Stop()
				_ = l.ws.CloseNow()
				return
			case <-l.done:
				broken, why = true, k.client.why(l.err)
			case <-silent.C:
				left := k.client.times.silent - l.meter.silence()
				broken, why = left <= 0, fmt.Sprintf("nothing has arrived for %s", k.client.times.silent)
				silent.Reset(max(left, time.Millisecond))
			}
		}
		silent.Stop()
		next, err := k.mend(l, why)
		if err != nil {
			k.hold()
			_ = l.ws.CloseNow()
			k.queue.End(err)
			return
		}
		l = next
	}
}

// mend gets a way to the kernel again: another one, or the old one if that comes back to
// life. What it tells is in the order of what arrives.
func (k *conn) mend(old *link, why string) (*link, error) {
	ctx, cancel := context.WithTimeout(k.ctx, k.client.times.giveUp)
	defer cancel()
	revived, ended := old.meter.beats, old.done
	tell := time.NewTimer(k.client.times.tell)
	defer tell.Stop()
	told := false
	say := func() {
		if !told {
			told = true
			k.queue.Push(down(why), 0)
		}
	}
	select {
	case <-ended:
		ended, revived = nil, nil
		k.hold()
	default: // only silent so far: what arrives of it later is not lost
		drain(revived)
		k.hold()
		say()
	}
	tries := k.attempts(ctx, ended)
	for {
		select {
		case <-revived:
			cancel()
			if r := <-tries; r.link != nil {
				_ = r.link.ws.CloseNow()
			}
			k.queue.Push(packet{news: &jupyter.Link{Up: true}}, 0)
			k.use(old)
			return old, nil
		case <-ended:
			ended, revived = nil, nil
			k.hold()
		case <-tell.C:
			say()
		case r := <-tries:
			if r.err != nil {
				return nil, k.hopeless(r.err)
			}
			k.hold()
			_ = old.ws.CloseNow()
			<-old.done // what it still had is before what the new one brings
			k.queue.Push(packet{news: &jupyter.Link{Up: true}, fresh: true}, 0)
			k.begin(r.link)
			return r.link, nil
		}
	}
}

func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// attempt is what came of trying.
type attempt struct {
	link *link
	err  error
}

// attempts tries to get through until it does, or that is hopeless, or ctx ends. Exactly
// one result comes. ended is closed when the old way has, nil if it had before.
func (k *conn) attempts(ctx context.Context, ended <-chan struct{}) <-chan attempt {
	result := make(chan attempt, 1)
	k.wg.Go(func() {
		wait := k.client.times.first
		for {
			l, err := k.try(ctx, ended)
			if err == nil || isGone(err) || refusesUs(err) {
				result <- attempt{l, err}
				return
			}
			if pause.For(ctx, wait) != nil {
				result <- attempt{nil, err}
				return
			}
			wait = min(2*wait, k.client.times.last)
		}
	})
	return result
}

// try makes one attempt. The kernel is asked after first: a websocket that is refused
// does not always say why. An old way that is only silent gets a moment to come back to
// life now that the server answers: what is on its way there would be lost with it.
func (k *conn) try(ctx context.Context, ended <-chan struct{}) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, k.client.times.attempt)
	defer cancel()
	var m kernelModel
	if err := k.client.call(ctx, "GET", kernelPath(k.kernel, ""), nil, &m); err != nil {
		return nil, err
	}
	if ended != nil {
		timer := time.NewTimer(k.client.times.tell)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return k.client.dial(ctx, k.kernel, k.session)
}

// hopeless is the error of a way that is given up. Where the kernel is gone, that is told.
func (k *conn) hopeless(err error) error {
	switch {
	case isGone(err):
		const says = "the server has no such kernel any more; it was stopped for being idle, or the server was restarted"
		k.died(&kernelclient.Death{Says: says})
		return lost(says)
	case k.ctx.Err() != nil:
		return errClosed
	case refusesUs(err):
		return lost(err.Error())
	}
	return lost(fmt.Sprintf("the server could not be reached for %s (%v)", k.client.times.giveUp, err))
}
