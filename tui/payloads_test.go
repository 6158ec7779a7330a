package tui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// nextInput runs "replace X" and "below X" as set_next_input does, and "exit".
func nextInput(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
	word, text, _ := strings.Cut(r.Code, " ")
	payload := func(source, rest string) {
		data := `{"source":"` + source + `"` + rest + `}`
		f.Sink().Emit(r.ID, event.Payload{Source: source, Data: rawjson.Value(data)})
	}
	switch word {
	case "replace":
		payload("set_next_input", `,"replace":true,"text":"`+text+`"`)
	case "below":
		payload("set_next_input", `,"replace":false,"text":"`+text+`"`)
	case "exit":
		payload("ask_exit", `,"keepkernel":false`)
		f.Die(event.ExitedByCode)
		return kernelclient.Outcome{Reason: event.Done}
	default:
		return echo(ctx, f, r)
	}
	return kernelclient.Outcome{Reason: event.Done}
}

func TestRunningCodeChangesTheNotebook(t *testing.T) {
	a := open(t, setup{file: file("below newborn", "replace other", "last"), script: nextInput})
	a.Type("j", "j") // on the last one, which must stay selected
	a.Type("k", "k", "ctrl+enter", "j")
	a.order("below newborn", "[ ]", "newborn", "replace other", "last", "2/4")
	a.hides("ran newborn")
	a.Type("j", "ctrl+enter")
	a.order("newborn", "other", "last", "3/4")
	a.hides("replace other")
	a.Type("z")
	a.order("newborn", "replace other", "last")
	a.Type("z")
	a.order("below newborn", "replace other", "last", "/3")
}

func TestSelectionStaysWhenACellIsInsertedAboveIt(t *testing.T) {
	gate := make(chan struct{})
	a := open(t, setup{file: file("below newborn", "last"), script: func(ctx context.Context, f *hosttest.Fake, r kernelclient.Request) kernelclient.Outcome {
		<-gate
		return nextInput(ctx, f, r)
	}})
	a.Keys("ctrl+enter", "j")
	a.WaitFor("2/2")
	close(gate)
	a.WaitFor("3/3")
	a.Type("ctrl+enter")
	a.shows("ran last")
}

func TestExitOfTheCodeIsNoFailure(t *testing.T) {
	a := open(t, setup{file: file("exit", "after"), script: nextInput})
	a.Type("ctrl+enter")
	a.shows(event.ExitedByCode)
	a.Type("j", "ctrl+enter")
	a.shows("ran after")
}
