//go:build unix

package bridge

import (
	"math"
	"testing"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// visiting is a program that uses the kept context "work".
func visiting(t *testing.T, p Place) kernelclient.Context {
	t.Helper()
	k, err := connect(t, p).Named("work", "", "").Start(t.Context(), kernelclient.StartSpec{Kernel: "fake", Dir: "/", StartupTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func handOver(t *testing.T, k kernelclient.Context, code string) {
	t.Helper()
	if err := k.Submit(t.Context(), kernelclient.Request{ID: event.ExecID(code), Code: code}); err != nil {
		t.Fatal(err)
	}
}

// A program may have come, and its run be over, before its stream is there. That the last
// other one leaves in between takes nothing from it.
func TestNothingDroppedBeforeFirstLook(t *testing.T) {
	p := place(t)
	run(t, p, Options{Host: fakes(t, say)})
	looker := connect(t, p)
	look := func() kernelclient.ContextInfo {
		infos, err := looker.Contexts(t.Context())
		if err != nil || len(infos) != 1 {
			t.Fatal(infos, err)
		}
		return infos[0]
	}
	first := visiting(t, p)
	s := first.Follow(kernelclient.Cursor{})
	handOver(t, first, "one")
	until(t, s, "the end of one", ended("one"))
	second := visiting(t, p)
	handOver(t, first, "two")
	until(t, s, "the end of two", ended("two"))
	handOver(t, second, "three")
	hosttest.Eventually(t, "the end of three", func() bool {
		i := look()
		return i.Running+i.Waiting == 0 && i.State.State == event.Idle
	})
	if err := first.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "what the first one left is dropped", func() bool { return look().Saved.Cursor.Seq > 0 })
	got := until(t, second.Follow(kernelclient.Cursor{}), "the end of three", ended("three"))
	if hosttest.Words(got) != "stdout:three" {
		t.Errorf("it was shown %q, %+v", hosttest.Words(got), got[len(got)-1].Body)
	}
	if err := second.Stop(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "all is dropped", func() bool { i := look(); return i.Saved.Cursor == i.Last })
}

// Who has still to read counts until it says that it leaves, or was away for too long.
func TestVisitors(t *testing.T) {
	now := time.Now()
	v := visitors{}
	want := func(what string, present int, had uint64) {
		t.Helper()
		if got := v.had(now); v.present() != present || got != had {
			t.Errorf("%s: %d are present, %d was had", what, v.present(), got)
		}
	}
	want("nobody", 0, math.MaxUint64)
	v.come("a", 7, now)
	v.come("b", 9, now)
	want("two were told where it is", 0, 7)
	v.follow("a", 7, now)
	want("one follows", 1, 0)
	v.unfollow("a", now)
	want("its connection broke", 0, 7)
	v.follow("a", 8, now)
	v.follow("a", 20, now)
	v.unfollow("a", now)
	v.unfollow("a", now)
	want("it had read on meanwhile", 0, 8)
	v.follow("a", 20, now)
	v.leave("a")
	want("it leaves, but its stream is still there", 1, 0)
	v.unfollow("a", now)
	want("it left", 0, 9)
	v.come("c", 12, now.Add(time.Minute))
	now = now.Add(lease + time.Second)
	want("another one did not come back", 0, 12)
	v.leave("c")
	v.leave("nobody")
	want("all left", 0, math.MaxUint64)
	if len(v) != 0 {
		t.Errorf("%v", v)
	}
}
