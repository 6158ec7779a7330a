package envd

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"syscall"
	"time"
)

// statusError is an error of /files with its HTTP status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func status(code int, format string, args ...any) *statusError {
	return &statusError{code, fmt.Errorf(format, args...)}
}

// report answers with an error of /files.
func report(w http.ResponseWriter, err error) {
	var se *statusError
	code := http.StatusInternalServerError
	switch {
	case errors.As(err, &se):
		code = se.status
	case errors.Is(err, errOutside), errors.Is(err, errSomeHome):
		code = http.StatusBadRequest
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = http.StatusInsufficientStorage
	}
	fail(w, code, err)
}

// query reads and checks the parameters of /files: the form first, then the signature, then
// the user. It answers itself if they are refused.
func (s *Server) query(w http.ResponseWriter, r *http.Request, op Operation) (url.Values, bool) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	for _, name := range []string{"path", "username", "signature", "signature_expiration"} {
		if len(q[name]) > 1 {
			err = fmt.Errorf("multiple values for parameter %s", name)
		}
	}
	if until := q.Get("signature_expiration"); q.Has("signature_expiration") {
		if n, bad := strconv.ParseInt(until, 10, 64); bad != nil || strconv.FormatInt(n, 10) != until {
			err = errors.New("invalid format for parameter signature_expiration")
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil, false
	}
	if err := s.signed(r, q, op); err != nil {
		fail(w, http.StatusUnauthorized, err)
		return nil, false
	}
	if q.Has("username") && q.Get("username") == "" {
		fail(w, http.StatusUnauthorized, errors.New("error looking up user '': the username is empty"))
		return nil, false
	}
	return q, true
}

// user checks the user that a request names.
func (s *Server) user(name string) error {
	if name == "" || s.knows(name) {
		return nil
	}
	return status(http.StatusUnauthorized, "error looking up user '%s': user: unknown user %s", name, name)
}

// download answers with the bytes of a file.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	q, ok := s.query(w, r, Read)
	if !ok {
		return
	}
	f, info, name, err := s.open(r, q)
	if err != nil {
		report(w, err)
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": path.Base(name)}))
	if zip, _ := wantsGzip(r.Header.Get("Accept-Encoding"), partial(r)); zip {
		sendGzip(w, f, name)
		return
	}
	if info.Size() == 0 {
		r.Header.Del("Range") // of nothing there are no parts
	}
	http.ServeContent(w, r, name, info.ModTime(), f)
}

// open finds what a request asks for and checks it in envd's order. name is the path.
func (s *Server) open(r *http.Request, q url.Values) (f *os.File, info fs.FileInfo, name string, err error) {
	if err := s.user(q.Get("username")); err != nil {
		return nil, nil, "", err
	}
	if name, err = s.resolve(q.Get("path")); err != nil {
		return nil, nil, "", status(http.StatusBadRequest, "%w", errors.Unwrap(err))
	}
	p, err := s.tree.find(name, true)
	if err == nil {
		info, err = s.tree.root.Lstat(p.rel)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, "", status(http.StatusNotFound, "path '%s' does not exist", name)
	case err != nil:
		return nil, nil, "", fmt.Errorf("error checking if path exists: %w", at("stat", name, err))
	case info.IsDir():
		return nil, nil, "", status(http.StatusBadRequest, "path '%s' is a directory", name)
	case !info.Mode().IsRegular():
		return nil, nil, "", errSpecial(name)
	}
	if _, err := wantsGzip(r.Header.Get("Accept-Encoding"), partial(r)); err != nil {
		return nil, nil, "", status(http.StatusNotAcceptable, "%w", err)
	}
	// Not blocking, and looked at again: it could be a pipe by now.
	f, err = s.tree.root.OpenFile(p.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, "", fmt.Errorf("error opening file: %w", at("open", name, err))
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // nothing was read
		return nil, nil, "", errSpecial(name)
	}
	return f, info, name, nil
}

func errSpecial(name string) error {
	return status(http.StatusBadRequest, "path '%s' is a pipe, socket or device, which is not opened", name)
}

// partial tells whether a request can only be answered with the bytes as they are.
func partial(r *http.Request) bool {
	for _, name := range []string{"Range", "If-Range", "If-Modified-Since", "If-Unmodified-Since", "If-None-Match", "If-Match"} {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return false
}

func sendGzip(w http.ResponseWriter, f *os.File, name string) {
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, err := io.Copy(z, f)
	if err = errors.Join(err, z.Close()); err != nil {
		// Too late for a status: break the answer off, so that nobody takes it for whole.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
	}
}
