package e2b

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/kernelclient/e2b/wire"
)

var _ kernelclient.Asker = (*driver)(nil)

// folderCode is code that puts out the working folder as hexadecimal digits, which carry
// names that are no text, and leaves nothing behind; "" for a language that has none here.
func folderCode(language string) string {
	switch language {
	case "python":
		return "print(__import__('os').getcwdb().hex())"
	case "bash":
		return "command pwd -P | od -An -v -tx1"
	}
	return ""
}

// Folder implements kernelclient.Folder. The interpreter has no question for it, so that code
// is run, which it counts; the log is told nothing.
func (d *driver) Folder(ctx context.Context) (string, error) {
	code := folderCode(d.language)
	if code == "" {
		return "", kernelclient.NoFolder()
	}
	box, id := d.where()
	if box == nil || id == "" {
		return "", &kernelclient.Error{Kind: kernelclient.Gone, What: "the context is not there yet"}
	}
	if err := d.settle(ctx, box, id); err != nil {
		return "", err
	}
	stream, err := d.client(box).Execute(ctx, wire.Execution{Code: code, ContextID: id})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	said, err := output(stream)
	if err != nil {
		return "", err
	}
	dir, err := hex.DecodeString(strings.Join(strings.Fields(said), ""))
	if err != nil || len(dir) == 0 {
		return "", kernelclient.NoFolder()
	}
	if d.language == "bash" { // pwd ends its line
		return strings.TrimSuffix(string(dir), "\n"), nil
	}
	return string(dir), nil
}

// output reads an execution to its end and returns what it wrote on stdout.
func output(stream *Stream) (string, error) {
	var said strings.Builder
	for {
		line, err := stream.Next()
		switch {
		case errors.Is(err, io.EOF):
			return said.String(), nil
		case err != nil:
			return "", err
		}
		switch l := line.(type) {
		case wire.Output:
			if l.Name == "stdout" {
				said.WriteString(l.Text)
			}
		case wire.Error: // the folder was deleted, say
			return "", kernelclient.NoFolder()
		}
	}
}
