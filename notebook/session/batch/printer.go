package batch

import (
	"fmt"
	"io"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/event"
	"github.com/nbterm/nbterm/notebook/mime"
)

// Streams is where the output of code goes. Writers for a terminal filter what they get;
// others pass it on as the kernel sent it.
type Streams struct{ Out, Err io.Writer }

// printer passes events on as text.
type printer struct {
	to   Streams
	open map[io.Writer]bool // its last line has no end yet
}

func newPrinter(to Streams) *printer { return &printer{to: to, open: map[io.Writer]bool{}} }

// print writes what an event shows. Its error is one of the writers': the reader is gone.
func (p *printer) print(e event.Event) error {
	if _, gap := e.Body.(event.Gap); e.Exec == "" && !gap {
		return nil // the kernel's own log, another client's output
	}
	switch b := e.Body.(type) {
	case event.Stream:
		if b.Name == "stderr" {
			return p.text(p.to.Err, b.Text)
		}
		return p.text(p.to.Out, b.Text)
	case event.Result:
		return p.line(p.to.Out, plain(b.Data))
	case event.Display:
		return p.line(p.to.Out, plain(b.Data))
	case event.Error:
		return p.line(p.to.Err, traceback(b))
	case event.Gap:
		return p.line(p.to.Err, "nbterm: "+b.Detail)
	}
	return nil
}

func (p *printer) text(w io.Writer, s string) error {
	if s == "" {
		return nil
	}
	p.open[w] = !strings.HasSuffix(s, "\n")
	_, err := io.WriteString(w, s)
	return err
}

// line writes s on lines of its own.
func (p *printer) line(w io.Writer, s string) error {
	if p.open[w] {
		s = "\n" + s
	}
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return p.text(w, s)
}

// plain is a bundle as text: its text/plain, else what it would be and how large.
func plain(b mime.Bundle) string {
	if text, ok := b.Plain(); ok {
		return text
	}
	for _, typ := range []string{"text/markdown", "text/latex"} {
		if v := b.Get(typ); v != nil {
			return mime.JoinText(v)
		}
	}
	var parts []string
	for _, e := range b {
		parts = append(parts, fmt.Sprintf("%s, %d bytes", e.Type, len(e.Value)))
	}
	return "[" + strings.Join(parts, "; ") + "]"
}

func traceback(e event.Error) string {
	if len(e.Traceback) > 0 {
		return strings.Join(e.Traceback, "\n")
	}
	return e.Name + ": " + e.Value
}

// oneLine shortens a text to its first line that says something, for a message.
func oneLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > 300 {
				line = string(r[:300]) + "…"
			}
			return line
		}
	}
	return ""
}
