package fswatch

import (
	"context"
	"fmt"
	"io"
)

// ReadAll reads the file's Body, for an FS that has to have it whole before it writes. A body
// that ends early or goes on beyond Size is Invalid; an error of the body comes wrapped.
func (f File) ReadAll(ctx context.Context) ([]byte, error) {
	data, err := io.ReadAll(body{ctx, f.Body})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &Error{Kind: Failed, What: f.Path + " was not written", Err: err}
	case f.Size >= 0 && int64(len(data)) != f.Size:
		return nil, &Error{Kind: Invalid, What: fmt.Sprintf("%s has %d bytes, not %d", f.Path, len(data), f.Size)}
	}
	return data, nil
}

// body ends with its context.
type body struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}
