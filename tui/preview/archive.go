package preview

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/render"
)

// mostMembers is how many members of an archive are listed.
const mostMembers = 5000

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}
func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte("\x1f\x8b")) }
func isTar(head []byte) bool  { return len(head) > 262 && string(head[257:262]) == "ustar" }

// listing is the contents of an archive as text.
type listing struct {
	strings.Builder
	n int
}

func (l *listing) add(name string, size int64, at time.Time) {
	l.n++
	when := strings.Repeat(" ", 16)
	if !at.IsZero() && at.Unix() > 0 {
		when = at.UTC().Format("2006-01-02 15:04")
	}
	fmt.Fprintf(l, "%10s  %s  %s\n", render.ByteSize(size), when, render.Sanitize(strings.ToValidUTF8(name, "�")))
}

// listZip lists a zip archive by the directory at its end.
func listZip(p parts) Preview {
	r, err := zip.NewReader(p, p.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return hex(p, "zip archive that cannot be read")
	}
	var l listing
	for _, f := range r.File {
		if l.n == mostMembers {
			break
		}
		l.add(f.Name, int64(f.UncompressedSize64), f.Modified)
	}
	return Preview{What: fmt.Sprintf("zip archive of %d", len(r.File)), Text: l.String()}
}

// listTar lists a tar archive, compressed or not, as far as Limit reaches. ok is false where
// it is none.
func listTar(ctx context.Context, files fswatch.FS, name fswatch.Path, p parts) (v Preview, ok bool) {
	var in io.Reader = bytes.NewReader(p.head)
	what := "tar archive"
	if isGzip(p.head) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return Preview{}, false
		}
		in, what = io.LimitReader(z, 64*Limit), "compressed tar archive"
	} else if files.Capabilities().Ranges && !p.whole() {
		skipping := &skipReader{ctx: ctx, files: files, name: name, size: p.size, left: Limit - sniffSize}
		defer skipping.close()
		in = skipping
	}
	r := tar.NewReader(in)
	var l listing
	for {
		h, err := r.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			if l.n == 0 {
				return Preview{}, false
			}
			if !errors.Is(err, io.EOF) {
				l.WriteString("… what follows is not read for a preview\n")
			}
			break
		}
		if l.n == mostMembers {
			l.WriteString("…\n")
			break
		}
		l.add(h.Name, h.Size, h.ModTime)
	}
	return Preview{What: what, Text: l.String()}, true
}

// skipReader reads a file by parts, so that what is skipped is not read.
type skipReader struct {
	ctx   context.Context
	files fswatch.FS
	name  fswatch.Path
	at    int64
	size  int64
	left  int64 // bytes that may be read still
	body  io.ReadCloser
}

func (s *skipReader) Read(b []byte) (int, error) {
	if s.at >= s.size {
		return 0, io.EOF
	}
	if s.left <= 0 {
		return 0, errNotRead
	}
	if s.body == nil {
		body, _, err := s.files.Open(s.ctx, s.name, fswatch.Range{Offset: s.at})
		if err != nil {
			return 0, err
		}
		s.body = body
	}
	n, err := s.body.Read(b[:min(int64(len(b)), s.left)])
	s.at += int64(n)
	s.left -= int64(n)
	return n, err
}

// Seek only notes where to go on.
func (s *skipReader) Seek(offset int64, whence int) (int64, error) {
	to := offset
	switch whence {
	case io.SeekCurrent:
		to += s.at
	case io.SeekEnd:
		to += s.size
	}
	if to != s.at {
		s.close()
		s.at = to
	}
	return to, nil
}

func (s *skipReader) close() {
	if s.body != nil {
		_ = s.body.Close() // it was only read
		s.body = nil
	}
}
