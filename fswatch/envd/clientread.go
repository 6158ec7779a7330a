package envd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// address is where contents are read and written.
func (f *FS) address(q url.Values) string {
	u := *f.base.JoinPath("files")
	if f.opt.User != "" {
		q.Set("username", f.opt.User)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Open is fswatch.FS's. What it is about is looked at first: reading a pipe would wait for
// ever.
func (f *FS) Open(ctx context.Context, p fswatch.Path, part fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	p, err := f.absolute(ctx, p)
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	e, err := f.Stat(ctx, p)
	if err != nil {
		return nil, fswatch.Entry{}, err
	}
	switch e.Type {
	case fswatch.TypeNone:
		return nil, e, &fswatch.Error{Kind: fswatch.NotFound, What: fmt.Sprintf("%q leads nowhere", p)}
	case fswatch.TypeDir:
		return nil, e, invalid(p, "is a folder")
	case fswatch.TypeOther:
		return nil, e, invalid(p, "is a pipe, socket or device, or a link in a circle, and is not opened")
	case fswatch.TypeFile:
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address(url.Values{"path": {p}}), nil)
	if err != nil {
		return nil, e, err
	}
	r.Header.Set("Accept-Encoding", "identity") // sizes and parts are of the file's own bytes
	if part != (fswatch.Range{}) {
		r.Header.Set("Range", rangeHeader(part))
	}
	what := fmt.Sprintf("%q cannot be read", p)
	answer, err := f.http.Do(r)
	if err != nil {
		return nil, e, f.failed(ctx, what, err)
	}
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusPartialContent {
		defer answer.Body.Close()
		return nil, e, answerError(what, answer)
	}
	e.Size = wholeSize(answer)
	return f.partOf(ctx, what, answer, part), e, nil
}

// failed is the error of a request of /files that got no answer.
func (f *FS) failed(ctx context.Context, what string, err error) error {
	if e := known(ctx, err); e != nil {
		return e
	}
	return lost(what, err)
}

// rangeHeader asks for a part. One from the end is asked for whole: its length would need
// the size.
func rangeHeader(part fswatch.Range) string {
	if part.Offset < 0 {
		return fmt.Sprintf("bytes=%d", part.Offset)
	}
	if part.Length <= 0 {
		return fmt.Sprintf("bytes=%d-", part.Offset)
	}
	return fmt.Sprintf("bytes=%d-%d", part.Offset, part.Offset+part.Length-1)
}

// wholeSize is the size of the file, not of the part that comes.
func wholeSize(r *http.Response) int64 {
	if r.StatusCode != http.StatusPartialContent {
		return r.ContentLength
	}
	_, total, _ := strings.Cut(r.Header.Get("Content-Range"), "/")
	n, err := strconv.ParseInt(total, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// partOf is the body of an answer, cut to the part. A service that knows no ranges sends the
// whole file.
func (f *FS) partOf(ctx context.Context, what string, r *http.Response, part fswatch.Range) io.ReadCloser {
	b := &download{ctx: ctx, f: f, what: what, body: r.Body, left: -1}
	if part.Length > 0 {
		b.left = part.Length
	}
	if r.StatusCode == http.StatusPartialContent || part.Offset == 0 || r.ContentLength == 0 {
		return b
	}
	b.skip = part.Offset
	if part.Offset < 0 && r.ContentLength > 0 {
		b.skip = max(r.ContentLength+part.Offset, 0)
	}
	return b
}

// download is a body that comes. Its errors are typed.
type download struct {
	ctx  context.Context
	f    *FS
	what string
	body io.ReadCloser
	skip int64 // bytes before the part
	left int64 // bytes of the part, -1 for all
}

// Read is io.Reader's.
func (d *download) Read(p []byte) (int, error) {
	if d.skip > 0 {
		n, err := io.CopyN(io.Discard, d.body, d.skip)
		d.skip -= n
		if err != nil {
			return 0, d.typed(err)
		}
	}
	if d.left == 0 {
		return 0, io.EOF
	}
	if d.left > 0 {
		p = p[:min(int64(len(p)), d.left)]
	}
	n, err := d.body.Read(p)
	if d.left > 0 {
		d.left -= int64(n)
	}
	return n, d.typed(err)
}

func (d *download) typed(err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // the plain end
		return err
	}
	return d.f.failed(d.ctx, d.what, err)
}

// Close is io.Closer's.
func (d *download) Close() error { return d.body.Close() }
