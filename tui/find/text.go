package find

import (
	"bytes"
	"errors"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/ansi"
)

// errEnough ends the reading of a text.
var errEnough = errors.New("enough")

// OutputText is what an output says as plain text, "" for pictures and other things that
// are no text. All of it is in memory.
func OutputText(b mime.Body) string {
	var all strings.Builder
	// Only reading back what was spilled to disk can fail: what could be read is given.
	_ = eachPiece(b, func(text string) error {
		all.WriteString(text)
		return nil
	})
	return all.String()
}

// Lines counts the lines of an output's text.
func Lines(b mime.Body) (n int) {
	// What cannot be read back from disk was not found there either.
	_ = eachPiece(b, func(piece string) error {
		if n += strings.Count(piece, "\n"); !strings.HasSuffix(piece, "\n") {
			n++
		}
		return nil
	})
	return n
}

// eachPiece calls f with the text of an output, without escape sequences, in pieces of
// whole lines.
func eachPiece(b mime.Body, f func(text string) error) error {
	switch b := b.(type) {
	case *mime.Stream:
		return eachLines(b.Text.View(), func(p []byte) error { return f(plain(string(p))) })
	case *mime.Error:
		text := strings.Join(b.Traceback, "\n")
		if strings.TrimSpace(text) == "" {
			text = b.Name + ": " + b.Value
		}
		return f(plain(text))
	case *mime.Data:
		if text, ok := dataText(b.Bundle); ok {
			return f(plain(text))
		}
	}
	return nil
}

// dataText is the form of a bundle that is read as text.
func dataText(b mime.Bundle) (string, bool) {
	if text, ok := b.Plain(); ok {
		return text, true
	}
	for _, typ := range []string{"text/markdown", "text/latex", "text/html", "application/json"} {
		if v := b.Get(typ); v != nil {
			return mime.JoinText(v), true
		}
	}
	return "", false
}

// eachLines calls f with pieces of a text that end at line ends.
func eachLines(v mime.View, f func(p []byte) error) error {
	var rest []byte
	err := v.Chunks(0, func(p []byte) error {
		end := bytes.LastIndexByte(p, '\n') + 1
		if end == 0 {
			rest = append(rest, p...)
			return nil
		}
		piece := p[:end]
		if len(rest) > 0 {
			piece = append(rest, piece...)
		}
		err := f(piece)
		rest = append([]byte(nil), p[end:]...)
		return err
	})
	if err == nil && len(rest) > 0 {
		err = f(rest)
	}
	return err
}

// plain is a text as it ends up on the screen: without escape sequences, and of a line
// that was written over (progress bars) only what was written last.
func plain(s string) string {
	if !strings.Contains(s, "\r") {
		return ansi.Strip(s)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}
