package e2b

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// What ends a run from here.
var (
	errInterrupted = errors.New("interrupted")
	errRestarted   = errors.New("restarted")
	errClosed      = errors.New("closed")
)

// driver runs code in one context of a sandbox, and in further ones for what names another
// language.
type driver struct {
	kernelclient.Unasked

	host     *Host
	language string
	dir      string            // in the sandbox, "" for its home
	env      map[string]string // for each run
	request  time.Duration
	pace     pace

	preparing sync.Mutex // held while the context is made or replaced; taken before mu

	mu        sync.Mutex // guards all below
	sink      kernelclient.Sink
	box       *sandbox
	id        string            // of the context in the sandbox
	foreign   bool              // somebody else made it
	adopted   bool              // an earlier process had it, and nobody has looked whether it is there
	owner     bool              // and made the sandbox for it
	others    map[string]string // further contexts by their language
	stop      context.CancelCauseFunc
	unsettled time.Time // when a run was last ended from here; zero once its kernel is known to be at rest
	closed    bool
}

// pace is how long things are waited for.
type pace struct {
	settle  time.Duration // after a run was ended from here, before its kernel is asked whether it rests
	tries   int           // of asking that
	silence time.Duration // without a line, before the sandbox is asked whether it is there
	lost    time.Duration // without a line once there was one, before the stream counts as broken
	health  time.Duration // that asking may take
}

func newDriver(h *Host, language, dir string, env map[string]string) *driver {
	d := &driver{
		host: h, language: language, dir: dir, env: env, request: h.opt.RequestTimeout, others: map[string]string{},
		pace: pace{settle: time.Second, tries: 8, silence: 20 * time.Second, lost: time.Minute, health: endLimit},
	}
	if h.pace != nil {
		d.pace = *h.pace
	}
	return d
}

// envVars reads K=V settings. The interpreter puts values into code without escaping them,
// so one that would break out of its quotes is refused.
func envVars(list []string, language string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	quotes := `'\` + "\n\r"
	if language == "r" || language == "java" {
		quotes = `"\` + "\n\r"
	}
	vars := map[string]string{}
	for _, kv := range list {
		k, v, given := strings.Cut(kv, "=")
		if !given {
			continue // taken up by another process, which was not told the values
		}
		if strings.ContainsAny(k+v, quotes) {
			return nil, &kernelclient.Error{
				Kind: kernelclient.Invalid, What: "the value of " + k + " has a quote, a backslash or a line end, which the code interpreter cannot pass on",
				Next: "set it in the code",
			}
		}
		vars[k] = v
	}
	return vars, nil
}

// Open implements kernelclient.Driver.
func (d *driver) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	d.mu.Lock()
	d.sink = sink
	d.mu.Unlock()
	if err := d.prepare(ctx); err != nil {
		return kernelclient.Ready{}, err
	}
	return d.ready(), nil
}

// prepare makes the context, and before it the sandbox, where they are not there yet.
func (d *driver) prepare(ctx context.Context) error {
	d.preparing.Lock()
	defer d.preparing.Unlock()
	box, id := d.where()
	if box == nil {
		var err error
		if box, err = d.host.sandbox(ctx, 1); err != nil {
			return err
		}
		if !d.enter(box) {
			return errors.Join(errClosed, d.host.leave(box))
		}
	}
	if id != "" {
		return d.look(ctx, box, id)
	}
	made, err := d.client(box).Create(ctx, wire.ContextRequest{Language: d.language, Cwd: d.dir})
	if err != nil {
		return box.explain(ctx, err)
	}
	d.mu.Lock()
	d.id = made.ID
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return errors.Join(errClosed, d.remove(box, made.ID))
	}
	return nil
}

// look checks that a context that an earlier process had is there.
func (d *driver) look(ctx context.Context, box *sandbox, id string) error {
	d.mu.Lock()
	adopted := d.adopted
	d.mu.Unlock()
	if !adopted {
		return nil
	}
	list, err := d.client(box).Contexts(ctx)
	if err != nil {
		return box.explain(ctx, err)
	}
	if !slices.ContainsFunc(list, func(c wire.Context) bool { return c.ID == id }) {
		return &kernelclient.Error{Kind: kernelclient.Killed, What: "the sandbox has the context no more: somebody removed it", Next: "a restart makes another"}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.adopted = false
	return nil
}

// enter notes the sandbox that the driver is a user of; false: it was closed meanwhile.
func (d *driver) enter(box *sandbox) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.box = box
	if d.owner && box.cloud != nil {
		box.own()
	}
	return true
}

// where is the sandbox and the context in it, as far as they are there.
func (d *driver) where() (*sandbox, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.box, d.id
}

// client is the sandbox's client with this context's own clock.
func (d *driver) client(box *sandbox) *Client {
	c := *box.client
	c.request = max(d.request, 0)
	return &c
}

func (d *driver) ready() kernelclient.Ready {
	box, id := d.where()
	return kernelclient.Ready{
		Capabilities: kernelclient.Capabilities{Stream: true, State: true, Interrupt: true, Restart: true, Languages: true, Folder: folderCode(d.language) != ""},
		Language:     languageInfo(d.language), Remote: box.remote(id), Expires: box.expires(),
	}
}

// languageInfo is what a kernel of a language would say of itself, as far as it is known
// without asking it.
func languageInfo(name string) rawjson.Value {
	ext := map[string]string{"python": ".py", "javascript": ".js", "typescript": ".ts", "bash": ".sh", "r": ".r", "java": ".java"}[name]
	if name == "r" {
		name = "R"
	}
	info := append(append([]byte(`{"name":`), rawjson.Quote(name)...), `,"file_extension":`...)
	return append(append(info, rawjson.Quote(ext)...), '}')
}

// Interrupt implements kernelclient.Driver: it ends the stream, which the interpreter takes
// for an interrupt.
func (d *driver) Interrupt(context.Context) error {
	d.end(errInterrupted)
	return nil
}

// end ends what runs, for a reason.
func (d *driver) end(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		d.stop(why)
	}
}

// Answer implements kernelclient.Driver: the interpreter asks nobody anything.
func (d *driver) Answer(context.Context, event.InputID, string) error {
	return &kernelclient.Error{Kind: kernelclient.Unsupported, What: "code in an E2B sandbox cannot ask for input"}
}

// Restart implements kernelclient.Driver. A context that was made with a folder is made
// anew, as the interpreter's own restart begins in the home folder. The sandbox stays the
// one that it is: where it is no more, that is an error.
func (d *driver) Restart(ctx context.Context) (kernelclient.Ready, error) {
	d.end(errRestarted)
	box, id := d.where()
	if id == "" || box == nil {
		if err := d.prepare(ctx); err != nil {
			return kernelclient.Ready{}, err
		}
		return d.ready(), nil
	}
	d.preparing.Lock()
	defer d.preparing.Unlock()
	err := d.replace(ctx, box, id)
	if errors.Is(err, kernelclient.Gone) { // it is paused
		if err = box.wake(ctx); err == nil {
			err = d.replace(ctx, box, id)
		}
	}
	if err != nil {
		return kernelclient.Ready{}, err
	}
	d.dropOthers(ctx, box)
	d.mu.Lock()
	d.unsettled = time.Time{}
	d.mu.Unlock()
	return d.ready(), nil
}

// replace gives the context a new kernel.
func (d *driver) replace(ctx context.Context, box *sandbox, id string) error {
	c := d.client(box)
	if d.dir == "" || d.foreign {
		err := box.explain(ctx, c.Restart(ctx, id))
		if d.foreign || !errors.Is(err, kernelclient.NotFound) {
			return err
		} // else somebody removed it
	}
	made, err := c.Create(ctx, wire.ContextRequest{Language: d.language, Cwd: d.dir})
	if err != nil {
		return box.explain(ctx, err)
	}
	d.mu.Lock()
	d.id = made.ID
	d.mu.Unlock()
	_ = d.remove(box, id) // it may have gone with its kernel
	return nil
}

// dropOthers removes the contexts of other languages: a restart forgets what they know too.
func (d *driver) dropOthers(ctx context.Context, box *sandbox) {
	d.mu.Lock()
	others := d.others
	d.others = map[string]string{}
	d.mu.Unlock()
	for _, id := range others {
		_ = d.client(box).Remove(ctx, id)
	}
}

// Close implements kernelclient.Driver. With stop the contexts that were made here are
// removed, and the sandbox with the last of them if it was made here. That is tried for some
// seconds also where ctx leaves no time.
func (d *driver) Close(_ context.Context, stop bool) error {
	d.end(errClosed)
	d.mu.Lock()
	again := d.closed
	d.closed = true
	box, id, others := d.box, d.id, d.others
	d.mu.Unlock()
	if again || box == nil || !stop {
		return nil
	}
	if box.ours() && box.last() && !d.host.opt.Keep { // it goes with the sandbox
		return d.host.leave(box)
	}
	var errs []error
	if id != "" && !d.foreign {
		errs = append(errs, d.remove(box, id))
	}
	for _, id := range others {
		errs = append(errs, d.remove(box, id))
	}
	return errors.Join(append(errs, d.host.leave(box))...)
}

// abandon is Close for a driver that no Log has.
func (d *driver) abandon() { _ = d.Close(context.Background(), true) }

// remove removes a context, with a time of its own. One that is gone is as wanted.
func (d *driver) remove(box *sandbox, id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	err := box.client.Remove(ctx, id)
	if err == nil || errors.Is(err, kernelclient.NotFound) {
		return nil
	}
	if err = box.explain(ctx, err); errors.Is(err, kernelclient.Killed) || errors.Is(err, kernelclient.Gone) {
		return nil
	}
	return err
}
