package jupyterface

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
)

// startLook is how long an answer waits for a kernel to be ready, so that one that cannot
// start is an error. Others are told to be starting.
const startLook = 5 * time.Second

// newID is a random id in the form of Jupyter Server's.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// request is what a client says of a kernel to start.
type request struct {
	Name string            `json:"name"`
	Path string            `json:"path"`
	Env  map[string]string `json:"env"`
}

// newKernel starts a kernel. notebook is the path of the document that it is for, "" for
// none.
func (f *Face) newKernel(ctx context.Context, q request, notebook string) (*kernel, error) {
	all, otherwise, err := f.specs(ctx)
	if err != nil {
		return nil, err
	}
	name := q.Name
	if name == "" {
		name = otherwise
	}
	s, ok := all[name]
	if !ok {
		return nil, &kernelclient.Error{Kind: kernelclient.NotFound, What: fmt.Sprintf("No such kernel named %s", name)}
	}
	start := kernelclient.StartSpec{Kernel: s.kernel, Dir: f.folder(q.Path), StartupTimeout: f.opt.Startup}
	if notebook != "" {
		start.Session = filepath.Join(f.opt.Root, filepath.FromSlash(path.Join("/", notebook)))
	}
	for name, value := range q.Env {
		start.Env = append(start.Env, name+"="+value)
	}
	slices.Sort(start.Env)
	if err := f.takePlace(); err != nil {
		return nil, err
	}
	launcher, err := f.opt.Kernels.Launcher(ctx, start)
	if err != nil {
		f.mu.Lock()
		f.starting--
		f.mu.Unlock()
		return nil, err
	}
	k := &kernel{
		face: f, id: newID(), name: name, launcher: launcher, session: newID(), life: make(chan struct{}, 1),
		changed: make(chan struct{}), state: "starting", active: time.Now(),
	}
	k.ctx, k.cancel = context.WithCancel(f.ctx)
	if err := f.enter(k); err != nil {
		k.cancel()
		return nil, err
	}
	return k, f.begin(ctx, k)
}

// takePlace counts a kernel that is to be.
func (f *Face) takePlace() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opt.MaxKernels > 0 && len(f.kernels)+f.starting >= f.opt.MaxKernels {
		return errTooMany
	}
	f.starting++
	return nil
}

// enter makes a kernel known.
func (f *Face) enter(k *kernel) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.starting--
	if f.closed {
		return errEnded
	}
	f.kernels = append(f.kernels, k)
	k.life <- struct{}{} // for begin: nobody else may start or end it before
	return nil
}

// begin starts a kernel's first process and looks at how that goes.
func (f *Face) begin(ctx context.Context, k *kernel) error {
	result := make(chan error, 1)
	k.wg.Go(func() {
		err := k.start(k.ctx)
		if err != nil {
			k.die(err.Error())
		}
		k.unlock()
		result <- err
	})
	timer := time.NewTimer(startLook)
	defer timer.Stop()
	select {
	case err := <-result:
		if err != nil {
			_ = f.remove(ctx, k) // it has no process
		}
		return err
	case <-timer.C: // it goes on behind
	case <-ctx.Done(): // the client can find it in the list
	}
	return nil
}

// folder is where a kernel starts that is for a path: the folder that it names or lies in,
// if that exists, else the root.
func (f *Face) folder(p string) string {
	dir := filepath.Join(f.opt.Root, filepath.FromSlash(path.Join("/", p)))
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if fi, err := os.Stat(d); err == nil && fi.IsDir() && p != "" {
			return d
		}
	}
	return f.opt.Root
}

// remove ends a kernel, and the sessions that it was of.
func (f *Face) remove(ctx context.Context, k *kernel) error {
	f.mu.Lock()
	f.kernels = slices.DeleteFunc(f.kernels, func(have *kernel) bool { return have == k })
	f.sessions = slices.DeleteFunc(f.sessions, func(s *session) bool { return s.kernel == k })
	f.mu.Unlock()
	return k.stop(ctx)
}

func (f *Face) find(id string) *kernel {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.kernels {
		if k.id == id {
			return k
		}
	}
	return nil
}

// onKernel finds the kernel of a request.
func (f *Face) onKernel(then func(http.ResponseWriter, *http.Request, *kernel)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if k := f.find(r.PathValue("id")); k != nil {
			then(w, r, k)
			return
		}
		refuse(w, http.StatusNotFound, "Kernel does not exist: "+r.PathValue("id"))
	}
}

func (f *Face) listKernels(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	all := slices.Clone(f.kernels)
	f.mu.Unlock()
	models := make([]kernelModel, len(all))
	for i, k := range all {
		models[i] = k.model()
	}
	answer(w, http.StatusOK, models)
}

func (f *Face) startKernel(w http.ResponseWriter, r *http.Request) {
	var q request
	if !read(w, r, &q) {
		return
	}
	k, err := f.newKernel(r.Context(), q, "")
	if err != nil {
		f.notStarted(w, err)
		return
	}
	w.Header().Set("Location", "/api/kernels/"+k.id)
	answer(w, http.StatusCreated, k.model())
}

func (f *Face) notStarted(w http.ResponseWriter, err error) {
	if !errors.Is(err, kernelclient.NotFound) {
		f.opt.Log.Warn("a kernel could not be started")
	}
	refuseFor(w, err)
}

func (f *Face) getKernel(w http.ResponseWriter, _ *http.Request, k *kernel) {
	answer(w, http.StatusOK, k.model())
}

func (f *Face) deleteKernel(w http.ResponseWriter, r *http.Request, k *kernel) {
	if err := f.remove(context.WithoutCancel(r.Context()), k); err != nil {
		f.opt.Log.Warn("a kernel did not end well", "kernel", k.id)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (f *Face) interruptKernel(w http.ResponseWriter, r *http.Request, k *kernel) {
	if err := k.interrupt(r.Context()); err != nil {
		refuseFor(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (f *Face) restartKernel(w http.ResponseWriter, r *http.Request, k *kernel) {
	if err := k.restart(context.WithoutCancel(r.Context())); err != nil { // a client that goes leaves no half of it
		refuseFor(w, err)
		return
	}
	answer(w, http.StatusOK, k.model())
}
