package e2b_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/e2btest"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// The folder is asked by code that no follower hears of.
func TestFolder(t *testing.T) {
	for kernel, answers := range map[string]map[string]string{
		"python": {"2f61ff\n": "/a\xff", "": "", "no digits\n": ""},
		"bash":   {" 2f 61\n 0a\n": "/a"},
	} {
		for said, want := range answers {
			s := server(t)
			plain := s.Run
			s.Run = func(x wire.Execution) e2btest.Script {
				if !strings.Contains(x.Code, "getcwdb") && !strings.Contains(x.Code, "pwd -P") {
					return plain(x)
				}
				return func(s *e2btest.Stream) {
					s.Send(wire.Count{N: s.Count})
					if said == "" {
						s.Send(wire.Error{Name: "FileNotFoundError"}, wire.End{})
						return
					}
					s.Send(wire.Output{Name: "stderr", Text: "20"}, wire.Output{Name: "stdout", Text: said}, wire.End{})
				}
			}
			k := start(t, host(t, s), func(spec *kernelclient.StartSpec) { spec.Kernel = kernel })
			k.Do("say before")
			dir, err := kernelclient.FolderOf(t.Context(), k.Ask())
			if dir != want || (err == nil) != (want != "") {
				t.Errorf("%s, %q: %q %v", kernel, said, dir, err)
			}
			end, events := k.Do("say after")
			if told := hosttest.Words(events); end.Reason != event.Done || !strings.HasSuffix(told, "stdout:after") || strings.Contains(told, "2f") {
				t.Errorf("%s: %+v, %q", kernel, end, told)
			}
			if _, err := k.Ask().Complete(context.Background(), "x", 1); !errors.Is(err, kernelclient.Unsupported) {
				t.Errorf("completing: %v", err)
			}
		}
	}
}
