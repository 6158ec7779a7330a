package envd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/nbterm/nbterm/fswatch"
)

// Compose makes one file of several, in one step for whoever reads it, and deletes them: so
// parts that were uploaded one by one become a file. Errors: Invalid (no sources, one of them
// is no plain file or the destination itself), NotFound, NoSpace, Unsupported (an envd that
// has no such call).
func (f *FS) Compose(ctx context.Context, sources []fswatch.Path, to fswatch.Path) (fswatch.Entry, error) {
	in := composition{Username: f.opt.User}
	var err error
	if in.Destination, err = f.absolute(ctx, to); err != nil {
		return fswatch.Entry{}, err
	}
	if len(sources) == 0 {
		return fswatch.Entry{}, invalid(to, "cannot be made of no files")
	}
	for _, s := range sources {
		p, err := f.absolute(ctx, s)
		if err != nil {
			return fswatch.Entry{}, err
		}
		in.Sources = append(in.Sources, p)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if err := f.sendCompose(ctx, to, body); err != nil {
		return fswatch.Entry{}, err
	}
	return f.Stat(ctx, in.Destination)
}

func (f *FS) sendCompose(ctx context.Context, to fswatch.Path, body []byte) error {
	what := fmt.Sprintf("%q cannot be composed", to)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base.JoinPath("files", "compose").String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := f.http.Do(r)
	if err != nil {
		return f.failed(ctx, what, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		_, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxRequest)) // the connection serves again
		return err
	}
	err = answerError(what, answer)
	if answer.StatusCode == http.StatusMethodNotAllowed || answer.StatusCode == http.StatusNotFound && answer.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		return &fswatch.Error{Kind: fswatch.Unsupported, What: what, Err: err, Next: "make a sandbox of a newer template"}
	}
	return err
}
