package bridge

import (
	"context"
	"errors"

	"github.com/nbterm/nbterm/kernelclient"
)

// A context may be stopped by others: from another window, by `nbterm stop`. To those who
// still have it that is a kernel that died, and a restart puts another context in its
// place. Their streams go on with it.

// againPrefix makes the nonce of a context that takes the place of another: all windows
// that had the old one get the same.
const againPrefix = "again/"

// Restart implements kernelclient.Context.
func (k *remote) Restart(ctx context.Context) error {
	err := k.do(ctx, "/restart", struct{}{})
	if !errors.Is(err, kernelclient.NotFound) {
		return err
	}
	k.mu.Lock()
	q, old := k.again, k.id
	k.mu.Unlock()
	q.Nonce = againPrefix + string(old)
	w, err := k.c.begin(ctx, q)
	if err != nil {
		return err
	}
	k.renew(old, w)
	return nil
}

// renew puts a context in the place of one that is gone.
func (k *remote) renew(old kernelclient.ContextID, w contextWire) {
	k.mu.Lock()
	if k.id != old {
		k.mu.Unlock()
		return // somebody else was quicker
	}
	k.id, k.rev, k.before = kernelclient.ContextID(w.ID), 0, k.info.State.Generation
	k.wake()
	k.mu.Unlock()
	k.learn(w)
}

// wake has streams look again at what became of the context. mu is held.
func (k *remote) wake() {
	close(k.renewed)
	k.renewed = make(chan struct{})
}

// Stop implements kernelclient.Context. One that was stopped already is as wanted.
func (k *remote) Stop(ctx context.Context, force bool) error {
	k.mu.Lock()
	k.stopped = true
	id := k.id
	k.wake()
	k.mu.Unlock()
	err := k.c.Stop(ctx, id, force)
	if errors.Is(err, kernelclient.NotFound) || NoHost(err) {
		return nil
	}
	return err
}

// next waits until another context took the place of the one with an id. false: it was
// stopped from here, or ctx ended.
func (k *remote) next(ctx context.Context, id kernelclient.ContextID) bool {
	for {
		k.mu.Lock()
		renewed, stopped, now := k.renewed, k.stopped, k.id
		k.mu.Unlock()
		if stopped || now != id {
			return !stopped
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return false
		}
	}
}

// current is the id of the context that is in the place now.
func (k *remote) current() kernelclient.ContextID {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.id
}

// earlier is how many generations of kernels there were before the context's own.
func (k *remote) earlier() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.before
}
