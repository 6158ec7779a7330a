package ipynb

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// Trouble is the sort of reason why a file does not open as a notebook.
type Trouble uint8

// The sorts of trouble.
const (
	NotJSON     Trouble = iota + 1 // some other kind of file
	Empty                          // nothing, or only space
	CutOff                         // it ends in the middle
	Conflict                       // version control left its markers in it
	WebPage                        // HTML under a notebook's name
	NotNotebook                    // JSON, but of something else
)

// FormatError says why a file does not open as a notebook, and what to do next.
type FormatError struct {
	Trouble Trouble
	Cause   string // one plain sentence, without position
	Next    string // what the reader of the message can do
	Line    int    // 1-based; 0 where no place is meant
	Offset  int    // in bytes from the start of the file
	Err     error  // the reader's own error, nil for none
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.Cause + "; " + e.Next
	}
	return fmt.Sprintf("%s (line %d, byte %d); %s", e.Cause, e.Line, e.Offset, e.Next)
}

// Unwrap returns the reader's own error.
func (e *FormatError) Unwrap() error { return e.Err }

var bom = []byte("\xEF\xBB\xBF")

// looks recognizes what is no JSON at first sight; nil where the text may be JSON.
func looks(data []byte) *FormatError {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, bom), " \t\r\n")
	switch {
	case len(text) == 0:
		return &FormatError{Trouble: Empty, Cause: "the file is empty", Next: "delete it to start a new notebook under this name, or look for a checkpoint or recovery copy"}
	case text[0] == '<' && !bytes.HasPrefix(text, []byte("<<<<<<<")):
		return &FormatError{Trouble: WebPage, Cause: "this looks like a web page, not a notebook", Next: "download the notebook itself (the raw file), signed in if need be"}
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return &FormatError{Trouble: NotJSON, Cause: "the file is UTF-16 text, and notebooks are UTF-8", Next: "convert it with iconv -f UTF-16 -t UTF-8"}
	}
	return nil
}

// explain turns a reader's error into a FormatError.
func explain(data []byte, err error) error {
	if at := conflict(data); at >= 0 {
		return &FormatError{
			Trouble: Conflict, Cause: "the file holds merge conflict markers", Line: lineAt(data, at), Offset: at, Err: err,
			Next: "resolve the conflict in a text editor, then open it again",
		}
	}
	var syntax *rawjson.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		return &FormatError{Trouble: NotJSON, Cause: "the file cannot be read as JSON: " + err.Error(), Next: "look at it in a text editor", Err: err}
	case syntax.Short:
		return &FormatError{
			Trouble: CutOff, Cause: "the file ends too early", Line: lineAt(data, len(data)), Offset: len(data), Err: err,
			Next: "look for a copy in .ipynb_checkpoints or a recovery copy, or mend it in a text editor",
		}
	}
	return &FormatError{
		Trouble: NotJSON, Cause: "the file is not JSON: " + syntax.Want + " is due", Line: lineAt(data, syntax.Offset), Offset: syntax.Offset, Err: err,
		Next: "look at that place in a text editor",
	}
}

// conflict finds the first line that git or Mercurial puts before a conflict's first side, -1 for none.
func conflict(data []byte) int {
	marker := []byte("<<<<<<<")
	if bytes.HasPrefix(data, marker) {
		return 0
	}
	if i := bytes.Index(data, append([]byte{'\n'}, marker...)); i >= 0 {
		return i + 1
	}
	return -1
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte{'\n'})
}

func notNotebook(cause string) error {
	return &FormatError{Trouble: NotNotebook, Cause: "this is JSON, but not a notebook: " + cause, Next: "open it in a text editor"}
}
