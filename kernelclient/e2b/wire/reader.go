package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// A Reader reads the lines of an execution's stream, of whatever length they are: a picture
// is one line.
type Reader struct{ buf *bufio.Reader }

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next line. A last one without a line end counts if it is whole.
// io.EOF: the stream ended behind a line. io.ErrUnexpectedEOF: within one.
func (r *Reader) Next() (Line, error) {
	for {
		text, err := r.buf.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			if err != nil {
				return nil, err
			}
			continue // nobody writes blank lines, and nothing is lost with one
		}
		line, bad := ParseLine(text)
		switch {
		case bad == nil:
			return line, nil
		case err != nil:
			return nil, io.ErrUnexpectedEOF
		}
		return nil, &BadLineError{Text: text, Err: bad}
	}
}

// BadLineError is a line that is not of the code interpreter's making. Text is the line:
// it may be long and may say anything.
type BadLineError struct {
	Text []byte
	Err  error
}

func (e *BadLineError) Error() string {
	return "a line of the stream is no JSON object: " + e.Err.Error()
}

func (e *BadLineError) Unwrap() error { return e.Err }
