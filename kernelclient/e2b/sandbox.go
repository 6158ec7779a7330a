package e2b

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

// endLimit is how long ending something may take when who asks has no time left: it is
// tried all the same, as it costs money else.
const endLimit = 5 * time.Second

// sandbox is the sandbox of a Host.
type sandbox struct {
	cloud  *Cloud // nil where there is no control plane
	client *Client
	domain string
	life   time.Duration
	health time.Duration // how long its health may take to answer

	mu    sync.Mutex // guards all below
	owned bool       // this host made it, or one that it took the contexts over from
	ends  time.Time  // zero: not known
	users int        // drivers that have a context in it
	dead  bool       // killed from here
}

// made is the sandbox if there is one already.
func (h *Host) made() *sandbox {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.box
}

// sandbox returns the sandbox; the first time it is connected to, or made. users is added to
// those that it has.
func (h *Host) sandbox(ctx context.Context, users int) (*sandbox, error) {
	select {
	case h.boxing <- struct{}{}:
		defer func() { <-h.boxing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	box, err := h.ready(ctx)
	if err == nil {
		box.use(users)
	}
	return box, err
}

// leave counts one user of a sandbox less. With the last one it is killed if it was made here.
func (h *Host) leave(box *sandbox) error {
	h.boxing <- struct{}{}
	defer func() { <-h.boxing }()
	if box.use(-1) && !h.opt.Keep {
		return h.kill(box)
	}
	return nil
}

// kill ends a sandbox, and says so where that fails: it costs money until its time is over.
func (h *Host) kill(box *sandbox) error {
	err := box.end()
	if err != nil {
		h.warn(fmt.Sprintf("the sandbox %s may live on until its time is over: %v; `nbterm e2b kill %s` ends it", box.client.ID(), err, box.client.ID()))
	}
	return err
}

func (h *Host) warn(line string) {
	if h.opt.Warn != nil {
		h.opt.Warn(line)
	}
}

// ready is sandbox for who is in boxing.
func (h *Host) ready(ctx context.Context) (*sandbox, error) {
	if box := h.made(); box != nil && !box.isDead() {
		return box, nil
	}
	box, err := h.reach(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.box = box
	return box, nil
}

// reach connects to the sandbox that the options name, or makes one.
func (h *Host) reach(ctx context.Context) (*sandbox, error) {
	opt := h.opt
	box := &sandbox{life: cmp.Or(opt.Lifetime, defaultLifetime), health: endLimit}
	if h.pace != nil {
		box.health = h.pace.health
	}
	if opt.debug() {
		box.client = newClient(opt, Sandbox{ID: opt.Sandbox, AccessToken: opt.AccessToken, TrafficToken: opt.TrafficToken}, h.http)
		return box, nil
	}
	box.cloud = &Cloud{opt, h.http}
	var s Sandbox
	var err error
	if opt.Sandbox == "" {
		s, err = create(ctx, box.cloud)
		box.owned = err == nil
	} else {
		s, err = connect(ctx, box.cloud, opt.Sandbox)
	}
	if err != nil {
		return nil, err
	}
	box.ends, box.domain = s.Ends, cmp.Or(s.Domain, opt.Domain)
	box.client = newClient(opt, s, h.http)
	return box, nil
}

// create makes a sandbox. It goes on for some seconds when ctx ends: a sandbox that was made
// all the same is known then, and can be killed.
func create(ctx context.Context, cloud *Cloud) (Sandbox, error) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(endLimit):
			cancel()
		case <-last.Done():
		}
	})()
	named := &Cloud{cloud.opt, cloud.http}
	if named.opt.Metadata = maps.Clone(cloud.opt.Metadata); named.opt.Metadata == nil {
		named.opt.Metadata = map[string]string{}
	}
	named.opt.Metadata[madeBy] = rand.Text()
	s, err := named.Create(last)
	var refused *edgeError
	if err != nil && !errors.As(err, &refused) {
		named.killLost()
	}
	return s, err
}

// madeBy is the metadata that tells the sandboxes that nbterm makes apart.
const madeBy = "nbterm"

// killLost kills the sandbox of a creation whose answer got lost, if there is one.
func (c *Cloud) killLost() {
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	all, err := c.List(ctx)
	if err != nil {
		return // its time will be over some day
	}
	for _, s := range all {
		if s.Metadata[madeBy] == c.opt.Metadata[madeBy] {
			_ = c.Kill(ctx, s.ID) // as above
		}
	}
}

// Sandbox tells which sandbox this host has, and whether it made it; "" before it has one.
func (h *Host) Sandbox() (id string, made bool) {
	if box := h.made(); box != nil {
		return box.client.ID(), box.ours()
	}
	return h.opt.Sandbox, false
}

// remote names a context of the sandbox for another process.
func (b *sandbox) remote(context string) string { return b.client.ID() + "/" + context }

func (b *sandbox) expires() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ends
}

func (b *sandbox) isDead() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead
}

// own notes that the sandbox was made for the contexts that are taken up: it ends with them.
func (b *sandbox) own() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owned = true
}

func (b *sandbox) ours() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.owned
}

// use counts one more driver, or one less; last tells that none is left.
func (b *sandbox) use(n int) (last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users += n
	return b.users == 0
}

// last tells whether the sandbox has but one user.
func (b *sandbox) last() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.users <= 1
}

// unused tells whether no context of this host is in the sandbox.
func (b *sandbox) unused() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.users == 0
}

// end kills the sandbox if it was made here, with a time of its own. One that is gone is as
// wanted.
func (b *sandbox) end() error {
	b.mu.Lock()
	skip := !b.owned || b.dead
	b.dead = b.dead || !skip
	b.mu.Unlock()
	if skip {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	err := b.cloud.Kill(ctx, b.client.ID())
	if errors.Is(err, kernelclient.NotFound) {
		return nil
	}
	return err
}

// renew puts the end of a sandbox that was made here off where less than half of its time
// is left: its user waits for what runs in it. It tells whether the end is another now.
func (b *sandbox) renew(ctx context.Context) bool {
	if !b.ours() || b.cloud == nil || time.Until(b.expires()) > b.life/2 {
		return false
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	if b.cloud.SetTimeout(ctx, b.client.ID(), b.life) != nil {
		return false // the run shows what is the matter, if anything is
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends = begun.Add(b.life)
	return true
}

// alive asks the sandbox's file service whether the sandbox runs; the edge answers 502 for
// one that does not. known is false where nobody could be asked.
func (b *sandbox) alive(ctx context.Context) (alive, known bool) {
	ctx, cancel := context.WithTimeout(ctx, b.health)
	defer cancel()
	req, err := b.client.newRequest(ctx, http.MethodGet, b.client.envd+"/health", wire.PortEnvd, nil)
	if err != nil {
		return false, false
	}
	resp, err := b.client.http.Do(req)
	if err != nil {
		return false, false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, errorLimit))
	return resp.StatusCode != http.StatusBadGateway, true
}

// broken tells whether an error may mean that the sandbox is no more.
func broken(err error) bool {
	var refused *edgeError
	if errors.As(err, &refused) {
		return refused.Status == http.StatusBadGateway
	}
	return errors.Is(err, kernelclient.Disconnect)
}

// explain puts what became of the sandbox in the place of an error that only says that it
// does not answer. nil stays nil.
func (b *sandbox) explain(ctx context.Context, err error) error {
	if err == nil || !broken(err) {
		return err
	}
	if gone := b.gone(ctx); gone != nil {
		return gone
	}
	return err
}

// gone says why the sandbox does not answer; nil if it does, or nobody knows.
func (b *sandbox) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*endLimit)
	defer cancel()
	if alive, known := b.alive(ctx); alive || !known {
		return nil
	}
	id, ends := b.client.ID(), b.expires()
	out := &kernelclient.Error{Kind: kernelclient.Killed, Next: "its variables and files are lost; a new sandbox begins empty"}
	switch state := b.state(ctx, id); {
	case state == Paused:
		return &kernelclient.Error{Kind: kernelclient.Gone, What: "the sandbox " + id + " is paused", Next: "running a cell wakes it, with all it had"}
	case !ends.IsZero() && !time.Now().Before(ends):
		out.What = fmt.Sprintf("the sandbox %s expired: its time was over at %s", id, ends.Local().Format("15:04:05"))
	case state == "gone":
		out.What = "the sandbox " + id + " was killed or expired"
	default:
		out.What = "the sandbox " + id + " was killed"
	}
	return out
}

// state asks the control plane about a sandbox: its State, "gone", "" where it is not known.
func (b *sandbox) state(ctx context.Context, id string) string {
	if b.cloud == nil {
		return ""
	}
	s, err := b.cloud.Get(ctx, id)
	switch {
	case errors.Is(err, kernelclient.NotFound):
		return "gone"
	case err != nil:
		return ""
	}
	return s.State
}

// wake lets a paused sandbox go on.
func (b *sandbox) wake(ctx context.Context) error {
	s, err := connect(ctx, b.cloud, b.client.ID())
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends = s.Ends
	return nil
}

// connect is Cloud.Connect, and finds out when the sandbox ends.
func connect(ctx context.Context, cloud *Cloud, id string) (Sandbox, error) {
	s, err := cloud.Connect(ctx, id)
	if err == nil && s.Ends.IsZero() {
		if more, err := cloud.Get(ctx, s.ID); err == nil { // only to show it
			s.Ends = more.Ends
		}
	}
	return s, err
}
