package jupyter

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
)

func TestReplyAndIdleInEitherOrder(t *testing.T) {
	for name, on := range map[string]func(*fakeKernel, Message){
		"reply first": func(k *fakeKernel, m Message) { k.reply(m, "ok"); k.stream(m, "x"); k.status(m, "idle") },
		"idle first":  func(k *fakeKernel, m Message) { k.stream(m, "x"); k.status(m, "idle"); k.reply(m, "ok") },
	} {
		t.Run(name, func(t *testing.T) {
			withKernel(t, func(k *fakeKernel) {
				k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.input(m); on(k, m) }
			}, func(t *testing.T, d *driver, s *sink) {
				began := time.Now()
				wantOutcome(t, execute(t, d, "a", "x"), kernelclient.Outcome{Reason: event.Done, Count: 1})
				if waited := time.Since(began); waited != 0 {
					t.Errorf("it took %s", waited)
				}
				expect(t, s, ":State busy ", "a:Started 1", `a:Stream stdout "x"`, ":State idle")
			})
		})
	}
}

func TestReplyWithoutIdle(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.input(m); k.stream(m, "x"); k.reply(m, "ok") }
	}, func(t *testing.T, d *driver, s *sink) {
		began := time.Now()
		wantOutcome(t, execute(t, d, "a", "x"), kernelclient.Outcome{Reason: event.Done, Count: 1})
		if waited := time.Since(began); waited != silence {
			t.Errorf("it took %s", waited)
		}
		expect(t, s, ":State busy ", "a:Started 1", `a:Stream stdout "x"`,
			"a:Gap the kernel's last messages were lost; output may be incomplete", ":State idle")
	})
}

func TestReplyAndNothingOnIOPubAnyMore(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.reply(m, "ok")
			k.onInfo = func(k *fakeKernel, m Message) { k.say(Shell, m, "kernel_info_reply", `{}`) }
		}
	}, func(t *testing.T, d *driver, s *sink) {
		began := time.Now()
		if out := execute(t, d, "a", "x"); out.Reason != event.Done {
			t.Errorf("%+v", out)
		}
		if waited := time.Since(began); waited > (maxProbes+2)*silence {
			t.Errorf("it took %s", waited)
		}
	})
}

func TestIdleWithoutReply(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(*fakeKernel, Message)
		want kernelclient.Outcome
	}{
		"nothing wrong": {
			func(k *fakeKernel, m Message) {},
			kernelclient.Outcome{Reason: event.Done, Count: 1, Detail: "the kernel ended the run without a reply"},
		},
		"an error": {
			func(k *fakeKernel, m Message) { k.say(IOPub, m, "error", `{"ename":"E","evalue":"v","traceback":[]}`) },
			kernelclient.Outcome{Reason: event.Failed, Count: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			withKernel(t, func(k *fakeKernel) {
				k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.input(m); c.say(k, m); k.status(m, "idle") }
			}, func(t *testing.T, d *driver, s *sink) {
				began := time.Now()
				wantOutcome(t, execute(t, d, "a", "x"), c.want)
				if waited := time.Since(began); waited != silence {
					t.Errorf("it took %s", waited)
				}
			})
		})
	}
}

// A signal that comes after execute_input and before the code makes ipykernel forget the reply.
func TestInterruptThatCostsTheReply(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		var running Message
		k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.input(m); running = m }
		k.onInterrupt = func() (bool, error) { k.status(running, "idle"); return true, nil }
	}, func(t *testing.T, d *driver, s *sink) {
		out := behind(d, "a")
		synctest.Wait()
		if err := d.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, <-out, kernelclient.Outcome{
			Reason: event.Interrupted, Count: 1, Detail: "the kernel ended the run without a reply",
		})
	})
}

func TestRequestThatTheKernelIgnores(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(*fakeKernel, Message) {}
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "x"), kernelclient.Outcome{Reason: event.Lost, Detail: "the kernel did not take the request"})
	})
}

func TestLongRunIsLeftAlone(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.onInfo = func(*fakeKernel, Message) { t.Error("it was disturbed") }
			time.Sleep(time.Hour) // of the bubble's clock
			k.onInfo = func(k *fakeKernel, m Message) { k.info(m) }
			k.reply(m, "ok")
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		if out := execute(t, d, "a", "x"); out.Reason != event.Done {
			t.Errorf("%+v", out)
		}
	})
}

func TestErrorThatCameInTheReplyAlone(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.reply(m, "error"); k.status(m, "idle") }
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "x"), kernelclient.Outcome{Reason: event.Failed})
		expect(t, s, ":State busy ", "a:Error E", ":State idle")
	})
}

func TestErrorThatWasOnlyShown(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.say(IOPub, m, "error", `{"ename":"E"}`)
			k.reply(m, "ok")
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "get_ipython().showtraceback()"), kernelclient.Outcome{Reason: event.Done})
	})
}

func TestLateAndForeignOutput(t *testing.T) {
	var first Message
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			if first.Header.ID == "" {
				first = m
			}
			k.status(m, "busy")
			k.reply(m, "ok")
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		execute(t, d, "a", "x")
		execute(t, d, "b", "x")
		k := d.kernel()
		other := Message{Header: Header{ID: "1", Session: "another client"}}
		k.stream(first, "late")
		k.status(other, "busy")
		k.say(IOPub, other, "execute_input", `{"execution_count":3,"code":"1"}`)
		k.stream(other, "theirs")
		k.say(IOPub, Message{}, "stream", `{"name":"stderr","text":["debugger ","warning"]}`)
		k.say(IOPub, first, "data_pub", `{"a":NaN}`)
		synctest.Wait()
		expect(t, s, ":State busy ", ":State idle ", ":State busy ", ":State idle ", `a:Stream stdout "late"`,
			":Unknown execute_input", `:Stream stdout "theirs"`, `:Stream stderr "debugger warning"`, "a:Unknown data_pub")
	})
}

func TestDeathInARun(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.input(m)
			k.stream(m, "last words")
			go k.die()
		}
	}, func(t *testing.T, d *driver, s *sink) {
		out := execute(t, d, "a", "x")
		wantOutcome(t, out, kernelclient.Outcome{Reason: event.Died, Count: 1, Detail: "the kernel ended with exit code 7: last words"})
		expect(t, s, ":State busy ", "a:Started 1", `a:Stream stdout "last words"`, ":State dead the kernel ended with exit code 7: last words")
		began := time.Now()
		wantOutcome(t, execute(t, d, "b", "x"), kernelclient.Outcome{Reason: event.Died, Detail: out.Detail})
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a run on a dead kernel took %s", waited)
		}
	})
}

// A child of the kernel may hold its sockets open, so that their end never comes.
func TestDeathWithoutEndOfTheConnection(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.once.Do(func() { close(k.died) })
		}
	}, func(t *testing.T, d *driver, s *sink) {
		began := time.Now()
		if out := execute(t, d, "a", "x"); out.Reason != event.Died {
			t.Errorf("%+v", out)
		}
		if waited := time.Since(began); waited > lastOutput {
			t.Errorf("it took %s", waited)
		}
	})
}

func TestConnectionLostWhileTheProcessLives(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); k.out.End(io.ErrUnexpectedEOF) }
	}, func(t *testing.T, d *driver, s *sink) {
		if out := execute(t, d, "a", "x"); out.Reason != event.Lost || out.Detail == "" {
			t.Errorf("%+v", out)
		}
		if !strings.Contains(s.story(), ":State dead") {
			t.Error(s.story())
		}
	})
}

func TestExitThatWasAskedFor(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.say(Shell, m, "execute_reply", `{"status":"ok","execution_count":1,"payload":[{"source":"ask_exit","keepkernel":false}]}`)
			k.die()
		}
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "exit"), kernelclient.Outcome{Reason: event.Done, Count: 1})
		expect(t, s, ":State busy ", "a:Payload ask_exit", ":State dead the kernel ended by its code (exit)")
	})
}

func TestExitThatTheKernelLeavesToUs(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.say(Shell, m, "execute_reply", `{"status":"ok","execution_count":1,"payload":[{"source":"ask_exit"}]}`)
			k.status(m, "idle")
		}
		k.onControl = func(k *fakeKernel, m Message) {
			if m.Header.Type == "shutdown_request" {
				k.die()
			}
		}
	}, func(t *testing.T, d *driver, s *sink) {
		began := time.Now()
		wantOutcome(t, execute(t, d, "a", "exit"), kernelclient.Outcome{Reason: event.Done, Count: 1})
		if waited := time.Since(began); waited != farewell {
			t.Errorf("it took %s", waited)
		}
		expect(t, s, ":State busy ", "a:Payload ask_exit", ":State dead the kernel ended by its code (exit)")
	})
}

func TestKernelThatIsKept(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			k.say(Shell, m, "execute_reply", `{"status":"ok","execution_count":1,"payload":[{"source":"ask_exit","keepkernel":true}]}`)
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "exit"), kernelclient.Outcome{Reason: event.Done, Count: 1})
		expect(t, s, ":State busy ", "a:Payload ask_exit", ":State idle")
	})
}

func TestSendingIsBounded(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.stuck = func(m Message) bool { return m.Header.Type == "execute_request" }
	}, func(t *testing.T, d *driver, _ *sink) {
		out := execute(t, d, "a", "1")
		if out.Reason != event.Lost || !strings.Contains(out.Detail, "--request-timeout") {
			t.Errorf("got %+v", out)
		}
	})
}

func TestInterruptIsHeldUntilTheKernelAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		interrupted := false
		k.onInterrupt = func() (bool, error) { interrupted = true; return true, nil }
		var hello Message
		k.onInfo = func(_ *fakeKernel, m Message) { hello = m }
		d := NewDriver(&fakeLauncher{next: func(int) (*fakeKernel, error) { return k, nil }}, DriverOptions{}).(*driver)
		opened := make(chan error, 1)
		go func() { _, err := d.Open(context.Background(), newSink()); opened <- err }()
		synctest.Wait()
		done := make(chan error, 1)
		go func() { done <- d.Interrupt(context.Background()) }()
		synctest.Wait()
		if interrupted {
			t.Fatal("it was not held")
		}
		k.info(hello)
		if err := errors.Join(<-done, <-opened); err != nil || !interrupted {
			t.Error(err, interrupted)
		}
		d.Close(context.Background(), true)
	})
}

func TestInterruptByMessage(t *testing.T) {
	for ename, reason := range map[string]event.Reason{"KeyboardInterrupt": event.Interrupted, "ValueError": event.Failed} {
		t.Run(ename, func(t *testing.T) {
			withKernel(t, func(k *fakeKernel) {
				var running Message
				k.onInterrupt = func() (bool, error) { return false, nil }
				k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy"); running = m }
				k.onControl = func(k *fakeKernel, m Message) {
					if m.Header.Type == "interrupt_request" && m.Channel == Control {
						k.say(IOPub, running, "error", `{"ename":"`+ename+`"}`)
						k.reply(running, "error")
						k.status(running, "idle")
					}
				}
			}, func(t *testing.T, d *driver, s *sink) {
				out := behind(d, "a")
				synctest.Wait()
				if err := d.Interrupt(t.Context()); err != nil {
					t.Fatal(err)
				}
				wantOutcome(t, <-out, kernelclient.Outcome{Reason: reason})
			})
		})
	}
}

func TestRestartWhileRunning(t *testing.T) {
	for name, c := range map[string]struct {
		stop  func(k *fakeKernel, ctx context.Context)
		limit time.Duration
	}{
		"polite":   {func(k *fakeKernel, ctx context.Context) { k.die() }, 0},
		"stubborn": {func(k *fakeKernel, ctx context.Context) { <-ctx.Done(); k.die() }, politeness},
		"undead":   {func(k *fakeKernel, ctx context.Context) { time.Sleep(time.Hour); k.die() }, politeness + patience},
	} {
		t.Run(name, func(t *testing.T) {
			launched := 0
			withKernel(t, func(k *fakeKernel) {
				if launched++; launched > 1 {
					return
				}
				k.onExecute = func(k *fakeKernel, m Message) {
					k.status(m, "busy")
					k.say(Stdin, m, "input_request", `{"prompt":"?"}`)
				}
				k.onStop = func(ctx context.Context) { c.stop(k, ctx) }
			}, func(t *testing.T, d *driver, s *sink) {
				out := behind(d, "a")
				synctest.Wait()
				began := time.Now()
				restarted := make(chan error, 1)
				go func() { _, err := d.Restart(context.Background()); restarted <- err }()
				wantOutcome(t, <-out, kernelclient.Outcome{Reason: event.Restarted})
				if waited := time.Since(began); waited != 0 {
					t.Errorf("the run waited %s for its end", waited)
				}
				if err := <-restarted; err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(began); waited > c.limit {
					t.Errorf("the restart took %s", waited)
				}
				wantOutcome(t, execute(t, d, "b", "x"), kernelclient.Outcome{Reason: event.Done, Count: 1})
				expect(t, s, ":State busy ", `a:InputRequest input-1 "?" false`, "a:InputClosed input-1", ":State busy ", "b:Started 1", ":State idle")
			})
		})
	}
}

func TestAbortedRequestIsSentAgain(t *testing.T) {
	n := 0
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) {
			k.status(m, "busy")
			if n++; n <= 2 {
				k.say(Shell, m, "execute_reply", `{"status":"aborted"}`)
			} else {
				k.input(m)
				k.reply(m, "ok")
			}
			k.status(m, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		wantOutcome(t, execute(t, d, "a", "x"), kernelclient.Outcome{Reason: event.Done, Count: 1})
		expect(t, s, ":State busy ", "a:Started 1", ":State idle")
	})
}

func TestAnswer(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		var running Message
		k.onExecute = func(k *fakeKernel, m Message) {
			running = m
			if m.Content.Get("allow_stdin").True() {
				k.status(m, "busy")
				k.say(Stdin, m, "input_request", `{"prompt":"? ","password":true}`)
			}
		}
		k.onInput = func(k *fakeKernel, m Message) {
			k.stream(running, m.Content.Get("value").Str())
			k.reply(running, "ok")
			k.status(running, "idle")
		}
	}, func(t *testing.T, d *driver, s *sink) {
		out := make(chan kernelclient.Outcome, 1)
		go func() { out <- execute(t, d, "a", "x") }()
		request := s.wait(t, asked).body.(event.InputRequest)
		if err := d.Answer(t.Context(), request.ID, "line \xff"); err != nil {
			t.Fatal(err)
		}
		<-out
		expect(t, s, ":State busy ", `a:InputRequest input-1 "? " true`, "a:InputClosed input-1", `a:Stream stdout "line �"`, ":State idle")
	})
}

func TestRunReturnsWhenItsContextEnds(t *testing.T) {
	withKernel(t, func(k *fakeKernel) {
		k.onExecute = func(k *fakeKernel, m Message) { k.status(m, "busy") }
	}, func(t *testing.T, d *driver, s *sink) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if out := d.Run(ctx, kernelclient.Request{ID: "a"}); out.Reason != event.Lost {
			t.Errorf("%+v", out)
		}
	})
}

// What a kernel answers after its end was concluded is not the run's end.
func TestAnswersAfterTheConclusionCountForNothing(t *testing.T) {
	withKernel(t, func(*fakeKernel) {}, func(t *testing.T, d *driver, _ *sink) {
		g := d.current()
		x := g.begin(kernelclient.Request{ID: "a"})
		defer g.finish(x)
		x.msg = "asked"
		g.conclude(kernelclient.Outcome{Reason: event.Restarted})
		asked := Header{ID: "asked"}
		g.advance(Message{Channel: Shell, Header: Header{Type: "execute_reply"}, Parent: asked, Content: []byte(`{"status":"error","ename":"KeyboardInterrupt"}`)})
		g.advance(Message{Channel: IOPub, Header: Header{Type: "status"}, Parent: asked, Content: []byte(`{"execution_state":"idle"}`)})
		wantOutcome(t, g.cutOff(x), kernelclient.Outcome{Reason: event.Restarted})
	})
}

// What an interrupt hit was another client's code, whose failure threw ours away: it is
// not sent again, for nobody wants it any more.
func TestInterruptedBeforeItRan(t *testing.T) {
	var waiting Message
	prepare := func(k *fakeKernel) {
		k.onExecute = func(_ *fakeKernel, m Message) { waiting = m }
		k.onInterrupt = func() (bool, error) {
			k.status(waiting, "busy")
			k.reply(waiting, "aborted")
			k.status(waiting, "idle")
			return true, nil
		}
	}
	withKernel(t, prepare, func(t *testing.T, d *driver, s *sink) {
		out := behind(d, "a")
		synctest.Wait()
		if err := d.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := <-out; got.Reason != event.Interrupted || got.Detail != "interrupted before it ran" {
			t.Errorf("it ended %+v", got)
		}
	})
}
