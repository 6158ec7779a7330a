package preview

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/fswatch"
	"github.com/nbterm/nbterm/fswatch/memfs"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
)

// counting counts the bytes that are read.
type counting struct {
	fswatch.FS
	read int
}

type countingBody struct {
	io.ReadCloser
	of *counting
}

func (b countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.read += n
	return n, err
}

func (c *counting) Open(ctx context.Context, name string, r fswatch.Range) (io.ReadCloser, fswatch.Entry, error) {
	body, e, err := c.FS.Open(ctx, name, r)
	return countingBody{body, c}, e, err
}

// shown is a file's preview, and the words about it. It fails where more than Limit was read.
func shown(t *testing.T, name string, data []byte) (what, text string) {
	t.Helper()
	files := &counting{FS: memfs.New()}
	path := "/d/" + name
	if _, err := files.Write(t.Context(), []fswatch.File{{Path: path, Body: bytes.NewReader(data), Size: int64(len(data))}}, fswatch.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := Read(t.Context(), files, path)
	if err != nil {
		t.Fatal(err)
	}
	if files.read > Limit {
		t.Errorf("%s: %d bytes were read", name, files.read)
	}
	b := v.Block(themes.Dark(), &render.Pictures{Rows: 20})
	lines := b.Lines(100, 0, min(b.Height(100), 4000))
	for _, l := range lines {
		if strings.ContainsAny(ansi.Strip(l), "\x1b\t\r\x00") || ansi.StringWidth(l) > 100 {
			t.Errorf("%s: a line can drive the terminal, or is too wide: %q", name, l)
		}
	}
	return v.What, ansi.Strip(strings.Join(lines, "\n"))
}

func has(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing in:\n%.2000s", w, got)
		}
	}
}

func TestTexts(t *testing.T) {
	what, text := shown(t, "a.py", []byte("def f():\n\treturn 1\n"))
	has(t, what, "19 B")
	has(t, text, "def f():", "    return 1")
	_, text = shown(t, "bom.txt", []byte("\xef\xbb\xbfbom line\r\nsecond\r\n"))
	if text != "bom line\nsecond" {
		t.Errorf("%q", text)
	}
	_, text = shown(t, "esc.txt", []byte("a\tb\n\x1b[31mred \xff\n"))
	has(t, text, "a   b", "␛[31mred")
	_, text = shown(t, "wide.txt", []byte("\xff\xfeh\x00i\x00\n\x00"))
	has(t, text, "hi")
	what, _ = shown(t, "empty.txt", nil)
	has(t, what, "empty", "0 B")
}

// Of a large file both ends are shown, and no more than a megabyte is read.
func TestLargeText(t *testing.T) {
	var b bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %06d of a long log\n", i)
	}
	what, _ := shown(t, "long.log", b.Bytes())
	has(t, what, "2.6 MB", "the first 786.4 KB and the last 262.1 KB")
	v := Preview{}
	v.Text, _ = decode(parts{head: b.Bytes()[:1000], tail: b.Bytes()[b.Len()-1000:], size: int64(b.Len()), tailAt: int64(b.Len() - 1000)})
	has(t, v.Text, "line 000000", "bytes are not shown …\nline 0999", "line 099999")
}

func TestTablesAndJSON(t *testing.T) {
	what, text := shown(t, "a.csv", []byte("name;size\n\"x;y\";1\n<b>;2\n"))
	has(t, what, "2 rows, 2 columns")
	has(t, text, "name", "size", "x;y", "<b>")
	what, _ = shown(t, "big.csv", []byte("a,b\n"+strings.Repeat("1,2\n", 5000)))
	has(t, what, "the first 200 rows")
	_, text = shown(t, "a.json", []byte(`{"deep": {"list": [1, 2]}}`))
	has(t, text, `"deep"`, "[1, 2]")
	_, text = shown(t, "bad.json", []byte(`{"deep": nonsense`))
	has(t, text, `{"deep": nonsense`)
}

func TestPictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	what, _ := shown(t, "misnamed.txt", b.Bytes())
	has(t, what, "PNG picture, 30×20")
	_, text := shown(t, "large.png", append(b.Bytes(), make([]byte, 2*Limit)...))
	has(t, text, "larger than a preview reads")
}

func TestArchives(t *testing.T) {
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for i := range 3000 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("dir/file-%04d.bin", i), Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write(make([]byte, 700))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	what, text := shown(t, "a.whl", z.Bytes())
	has(t, what, "zip archive of 3000")
	has(t, text, "700 B", "dir/file-0000.bin", "dir/file-2999.bin")
	var raw, packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	tw := tar.NewWriter(io.MultiWriter(&raw, gz))
	for _, name := range []string{"big.bin", "in/b\x1b[31m.txt"} {
		data := make([]byte, 2*Limit)
		if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		_, _ = tw.Write(data)
	}
	if err := errors.Join(tw.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.tar": raw.Bytes(), "a.tgz": packed.Bytes()} {
		_, text = shown(t, name, data)
		has(t, text, "big.bin", "in/b")
	}
}

func TestBytes(t *testing.T) {
	what, text := shown(t, "a.bin", append([]byte("\x00\x01ABC"), make([]byte, 3*Limit)...))
	has(t, what, "binary", "3.1 MB")
	has(t, text, "00000000  00 01 41 42 43 00 00 00  00 00", "|..ABC...........|")
	d := dump{parts{head: []byte("0123456789abcdefXY"), tail: []byte("end"), size: 100, tailAt: 97}}
	if got := strings.Join(d.Lines(100, 1, 3), "\n"); !strings.Contains(got, "00000010  58 59") ||
		!strings.Contains(got, "… 79 bytes are not shown …\n00000061  65 6e 64") {
		t.Error(got)
	}
	_, text = shown(t, "a.gz", append([]byte("\x1f\x8b\x08\x00"), make([]byte, 50)...))
	has(t, text, "1f 8b 08")
}

func TestWhatIsNoFile(t *testing.T) {
	files := memfs.New()
	if _, err := files.Mkdir(t.Context(), "/dir"); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), files, "/dir"); !errors.Is(err, ErrNotFile) {
		t.Error(err)
	}
	if _, err := Read(t.Context(), files, "/nothing"); !errors.Is(err, fswatch.NotFound) {
		t.Error(err)
	}
}
