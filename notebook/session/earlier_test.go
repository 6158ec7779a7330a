package session_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
)

func TestEarlierOutputs(t *testing.T) {
	doc, err := notebook.Parse([]byte(`{"cells":[{"cell_type":"code","execution_count":7,"metadata":{},"source":"print one",
		"outputs":[{"output_type":"stream","name":"stdout","text":"from the file\n"}]}],"metadata":{},"nbformat":4,"nbformat_minor":4}`))
	if err != nil {
		t.Fatal(err)
	}
	s, keys := withFake(t, doc, &hosttest.Fake{Script: script}, session.Options{})
	if kept, runs := s.Earlier(keys[0]); kept != nil || runs != 0 {
		t.Errorf("before any run: %v of %d", kept, runs)
	}
	runAll(t, s, keys[0])
	for _, source := range []string{"fail", "print three"} {
		if err := doc.Do("edit", notebook.SetSource{Key: keys[0], Source: source}); err != nil {
			t.Fatal(err)
		}
		runAll(t, s, keys[0])
	}
	kept, runs := s.Earlier(keys[0])
	var got []string
	for i, e := range kept {
		if e.Run != i || e.Started.IsZero() != (i == 0) {
			t.Errorf("%d is of run %d, begun %v", i, e.Run, e.Started)
		}
		n := doc.Cell(keys[0])
		if err := doc.SetOutputs(n.Key, e.Outputs, 0); err != nil { // as text reads a cell
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(text(doc.Cell(keys[0]))))
		if err := doc.SetOutputs(n.Key, n.Outputs(), n.Count); err != nil {
			t.Fatal(err)
		}
	}
	if want := "from the file|one|ValueError"; strings.Join(got, "|") != want || runs != 3 {
		t.Errorf("%q of %d runs, want %q", got, runs, want)
	}
	var file bytes.Buffer
	if _, err := doc.Snapshot().WriteTo(&file); err != nil || !strings.Contains(file.String(), "three") || strings.Contains(file.String(), "ValueError") {
		t.Errorf("the file has not only the newest: %s (%v)", file.String(), err)
	}
}
