package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook/session"
)

// slowHost answers no question before it is opened.
type slowHost struct {
	*hosttest.Host
	opened chan struct{}
}

func (h slowHost) Kernels(ctx context.Context) ([]kernelclient.Kernel, error) {
	select {
	case <-h.opened:
		return h.Host.Kernels(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A host that takes its time keeps nobody from typing: the run's mark is there at once, and
// the cells run when the kernel is there. Ctrl-C gives the start up.
func TestFarHostIsNotWaitedFor(t *testing.T) {
	h := slowHost{host(&hosttest.Fake{Script: echo}), make(chan struct{})}
	h.Address = "http://far:8888"
	a := open(t, setup{file: file("one", "two"), host: h, far: true})
	a.Keys("ctrl+e")
	a.WaitFor("[·]")
	a.WaitFor("starting ")
	a.Keys("j", "ctrl+e", "enter", "x", "y", "esc")
	a.WaitFor("xy")
	a.WaitFor("queued 2")
	a.Keys("k", "ctrl+c")
	a.WaitFor("was given up")
	a.WaitIdle()
	a.shows("not started")
	a.hides("queued", "[·]")
	a.Keys("ctrl+e")
	a.WaitFor("[·]")
	close(h.opened)
	a.WaitFor("ran one")
	a.WaitIdle()
	a.shows("Python 3 (ipykernel) on far:8888 · idle")
}

func TestFarHostRefuses(t *testing.T) {
	h := refusingHost{host(&hosttest.Fake{}), errors.New("the server at http://far cannot be reached")}
	a := open(t, setup{file: file("one"), host: h, far: true})
	a.Type("ctrl+e")
	a.shows("cannot be reached", "not started")
	a.hides("[·]")
}

type refusingHost struct {
	*hosttest.Host
	err error
}

func (h refusingHost) Kernels(context.Context) ([]kernelclient.Kernel, error) { return nil, h.err }

// The dialog asks other hosts for their kernels; one that is chosen runs there.
func TestKernelDialogOfOtherHosts(t *testing.T) {
	far := kernels(map[string]kernelclient.Driver{"ir": &hosttest.Fake{Script: echo}},
		kernelclient.Kernel{Name: "ir", DisplayName: "R", Language: "R"}, kernelclient.Kernel{Name: "old", Broken: "its program is missing"})
	far.Address = "http://gpu:8888/user/ann"
	down := errors.New("the server cannot be reached")
	a := open(t, setup{file: file("one"), width: 100, height: 30, script: echo, places: []session.Place{
		{Name: "gpu", Address: far.Address, Dir: "work", Open: func() (kernelclient.Host, error) { return far, nil }},
		{Name: "down", Address: "e2b:", Open: func() (kernelclient.Host, error) { return nil, down }},
	}})
	a.Type("ctrl+k")
	a.order("here", "python3", "down: e2b", "cannot be asked", down.Error(), "gpu: gpu:8888/user/ann", "ir  R", "old", "its program is missing")
	a.Type("cannot", "enter")
	a.shows(down.Error())
	a.Type("ctrl+u", "ir", "enter")
	a.shows("R on gpu:8888/user/ann · idle")
	a.Type("ctrl+e")
	a.shows("ran one")
	infos, err := far.Contexts(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Dir != "work" {
		t.Errorf("%+v %v", infos, err)
	}
}

// The time that the host leaves a kernel shows, and a cell's own language.
func TestTimeLeftAndLanguages(t *testing.T) {
	kernel := &hosttest.Fake{Expires: time.Now().Add(3*time.Hour + 59*time.Second), Languages: true, Script: func(_ context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		f.Sink().Emit(r.ID, event.Stream{Name: "stdout", Text: "in " + r.Language + "."})
		return kernelclient.Outcome{Reason: event.Done}
	}}
	h := host(kernel)
	h.Address = "e2b:i123"
	text := strings.Replace(file("one"), `"metadata": {}`, `"metadata": {"vscode":{"languageId":"shellscript"}}`, 1)
	if !strings.Contains(text, "shellscript") {
		t.Fatal(text)
	}
	a := open(t, setup{file: text, host: h, width: 100, height: 24})
	a.shows("bash")
	a.Type("ctrl+e")
	a.shows("on e2b:i123 · idle · 3h00 left", "in bash.")
}

// What a host cannot do is said as soon as its kernel is ready.
func TestLimitsOfAHost(t *testing.T) {
	h := host(limited{&hosttest.Fake{Script: echo}})
	h.Address = "e2b:i123"
	a := open(t, setup{file: file("one"), host: h, width: 120, height: 24})
	a.Type("ctrl+e")
	a.shows("ran one", "on e2b:i123: input() cannot be answered, code is not completed, a display that is shown cannot be changed")
	a.hides("interrupted", "nothing is kept")
}

// limited is a kernel that can do little.
type limited struct{ *hosttest.Fake }

func (l limited) Open(ctx context.Context, sink kernelclient.Sink) (kernelclient.Ready, error) {
	r, err := l.Fake.Open(ctx, sink)
	r.Capabilities = kernelclient.Capabilities{Stream: true, State: true, Interrupt: true, Restart: true}
	return r, err
}
