package envd

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/nbterm/nbterm/fswatch"
)

// Write is fswatch.FS's. The service writes in place, so a file is uploaded under another
// name beside its own and then moved there: in one step for whoever reads it. That would
// change what a file keeps when it is written over; where that matters (links, a mode of
// its own, other owners' files) it is written in place.
func (f *FS) Write(ctx context.Context, files []fswatch.File, opt fswatch.WriteOptions) ([]fswatch.Entry, error) {
	if err := f.checkOptions(opt); err != nil {
		return nil, err
	}
	list := make([]fswatch.Entry, 0, len(files))
	if len(files) > 1 && !opt.Gzip {
		done, rest, err := f.writeNew(ctx, files, opt)
		if err != nil {
			return done, err
		}
		list, files = append(list, done...), rest
	}
	for _, file := range files {
		e, err := f.writeOne(ctx, file, opt)
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// checkOptions refuses what the service would not take or not understand.
func (f *FS) checkOptions(opt fswatch.WriteOptions) error {
	if opt.Gzip {
		if err := f.needs(sinceOctet, "compressing an upload"); err != nil {
			return err
		}
	}
	if len(opt.Meta) == 0 {
		return nil
	}
	if err := f.needs(sinceMetadata, "metadata"); err != nil {
		return err
	}
	for key := range opt.Meta {
		if key != strings.ToLower(key) || strings.ContainsAny(key, " :") {
			return &fswatch.Error{Kind: fswatch.Invalid, What: fmt.Sprintf("the metadata key %q must be in lower case, without spaces and colons", key)}
		}
	}
	if err := checkMetadata(opt.Meta); err != nil {
		return &fswatch.Error{Kind: fswatch.Invalid, What: "the metadata cannot be stored", Err: err}
	}
	return nil
}

// target is where a file is to go.
type target struct {
	path  fswatch.Path // absolute, and not a link that leads somewhere
	there bool
	entry fswatch.Entry // of what is there
}

func (f *FS) target(ctx context.Context, file fswatch.File, opt fswatch.WriteOptions) (target, error) {
	p, err := f.absolute(ctx, file.Path)
	if err != nil {
		return target{}, err
	}
	if strings.HasSuffix(p, "/") {
		return target{}, invalid(p, "names a folder")
	}
	e, err := f.Stat(ctx, p)
	if errors.Is(err, fswatch.NotFound) {
		if file.Mode != 0 && file.Mode.Perm() != 0o644 {
			return target{}, &fswatch.Error{Kind: fswatch.Unsupported, What: fmt.Sprintf("%q cannot be written: this file service makes files with permissions 0644 only", p)}
		}
		return target{path: p}, nil
	}
	switch {
	case err != nil:
		return target{}, err
	case opt.New:
		return target{}, &fswatch.Error{Kind: fswatch.Exists, What: fmt.Sprintf("%q exists", p)}
	case e.Type == fswatch.TypeDir:
		return target{}, invalid(p, "is a folder")
	case e.Type == fswatch.TypeOther:
		return target{}, invalid(p, "is a pipe, socket or device, or a link in a circle")
	}
	return target{path: p, there: true, entry: e}, nil
}

// moves tells whether a new file can take the place of the old one without changing more
// than the contents.
func (t target) moves(ctx context.Context, f *FS) bool {
	if !t.there {
		return true
	}
	if t.entry.Link || t.entry.Mode.Perm() != 0o644 {
		return false
	}
	parent, err := f.Stat(ctx, path.Dir(t.path))
	return err == nil && parent.Owner == t.entry.Owner && parent.Group == t.entry.Group
}

func (f *FS) writeOne(ctx context.Context, file fswatch.File, opt fswatch.WriteOptions) (fswatch.Entry, error) {
	t, err := f.target(ctx, file, opt)
	if err != nil {
		return fswatch.Entry{}, err
	}
	if !t.moves(ctx, f) {
		if err := f.upload(ctx, t.path, file, opt); err != nil {
			return fswatch.Entry{}, err
		}
		return f.Stat(ctx, t.path)
	}
	aside := path.Join(path.Dir(t.path), aside(path.Base(t.path)))
	err = f.upload(ctx, aside, file, opt)
	if err == nil {
		var e fswatch.Entry
		if e, err = f.rename(ctx, aside, t.path); err == nil {
			return e, nil
		}
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	_ = f.Remove(clean, aside) // the first error is the one to tell
	return fswatch.Entry{}, err
}

// aside is the name under which a file is uploaded first. Names end at 255 bytes.
func aside(name string) string {
	return "." + strings.ToValidUTF8(name[:min(len(name), 200)], "") + ".nbterm-" + strings.ToLower(rand.Text()[:10])
}

// upload sends one file to a path, where it is written in place.
func (f *FS) upload(ctx context.Context, to fswatch.Path, file fswatch.File, opt fswatch.WriteOptions) error {
	body := &measured{body: file.Body, left: file.Size, path: file.Path}
	if f.knowsOctet() {
		err := f.post(ctx, to, "application/octet-stream", body, file.Size, opt)
		if !f.maybeOld(err) {
			return err
		}
		again, ok := file.Body.(io.Seeker)
		if !ok {
			return err
		}
		if _, back := again.Seek(0, io.SeekStart); back != nil {
			return err
		}
		body = &measured{body: file.Body, left: file.Size, path: file.Path}
		f.mu.Lock()
		f.octet = true
		f.mu.Unlock()
	}
	if opt.Gzip {
		return &fswatch.Error{Kind: fswatch.Unsupported, What: "this sandbox takes no compressed uploads; envd " + sinceOctet + " does", Next: "upload without compressing"}
	}
	read, kind := f.form([]part{{"file", body}}) // the path is in the address
	defer read.Close()
	return f.post(ctx, to, kind, read, -1, opt)
}

// knowsOctet tells whether uploads of plain bytes may work.
func (f *FS) knowsOctet() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.octet && !older(f.opt.Version, sinceOctet)
}

// maybeOld tells whether an upload failed as it does with an envd too old for plain bytes,
// which cannot make anything of the body.
func (f *FS) maybeOld(err error) bool {
	var old *formError
	return f.opt.Version == "" && errors.As(err, &old)
}

// formError marks the answers of a service that looked for a form.
type formError struct{ error }

func (e *formError) Unwrap() error { return e.error }

// part is a file of a form.
type part struct {
	name string
	body io.Reader
}

// form is a multipart body of files, made while it is read. Closing it ends the making.
func (f *FS) form(parts []part) (io.ReadCloser, string) {
	read, write := io.Pipe()
	w := multipart.NewWriter(write)
	go func() { // ends with the last part or with the reader
		for _, p := range parts {
			out, err := w.CreateFormFile("file", p.name)
			if err == nil {
				_, err = io.Copy(out, p.body)
			}
			if err != nil {
				write.CloseWithError(err)
				return
			}
		}
		write.CloseWithError(w.Close())
	}()
	return read, w.FormDataContentType()
}

// post sends a body to /files. An empty path leaves it to the form's file names.
func (f *FS) post(ctx context.Context, to fswatch.Path, kind string, body io.Reader, size int64, opt fswatch.WriteOptions) error {
	q := url.Values{}
	what := "the files cannot be written"
	if to != "" {
		q.Set("path", to)
		what = fmt.Sprintf("%q cannot be written", to)
	}
	if opt.Gzip {
		z := zipped(body)
		defer z.Close()
		body, size = z, -1
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address(q), io.NopCloser(body))
	if err != nil {
		return err
	}
	r.ContentLength = size
	if size == 0 {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Type", kind)
	if opt.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	for key, value := range opt.Meta {
		r.Header.Set(metaHeaders+key, value)
	}
	answer, err := f.http.Do(r)
	if err != nil {
		return f.failed(ctx, what, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		_, err := io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // the connection serves again
		return err
	}
	err = answerError(what, answer)
	if kind == "application/octet-stream" && (answer.StatusCode == http.StatusBadRequest || answer.StatusCode == http.StatusInternalServerError) && strings.Contains(strings.ToLower(err.Error()), "multipart") {
		return &formError{err}
	}
	return err
}

// zipped is a body compressed while it is read.
func zipped(body io.Reader) io.ReadCloser {
	read, write := io.Pipe()
	go func() { // ends with the body or with the reader
		z := gzip.NewWriter(write)
		_, err := io.Copy(z, body)
		write.CloseWithError(errors.Join(err, z.Close()))
	}()
	return read
}

// measured is a body that must have the length that was said.
type measured struct {
	body io.Reader
	left int64 // -1: any
	path fswatch.Path
	read int64
}

// Read is io.Reader's.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.body.Read(p)
	m.read += int64(n)
	if m.left >= 0 && (m.read > m.left || errors.Is(err, io.EOF) && m.read != m.left) {
		return n, &fswatch.Error{Kind: fswatch.Invalid, What: fmt.Sprintf("%q cannot be written: there are not the %d bytes that were said", m.path, m.left)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &fswatch.Error{Kind: fswatch.Failed, What: fmt.Sprintf("%q cannot be written: what goes in it cannot be read", m.path), Err: err}
	}
	return n, err
}
