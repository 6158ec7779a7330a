package builtin

import (
	"io"
	"os"
	"strings"
)

// lastWords is how many bytes of a kernel log a death tells of.
const lastWords = 64 << 10

// tail returns the end of a kernel log, "" if there is none. It begins with a whole line.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	cut := false
	if info, err := f.Stat(); err == nil && info.Size() > lastWords {
		_, err = f.Seek(-lastWords, io.SeekEnd)
		cut = err == nil
	}
	b, _ := io.ReadAll(io.LimitReader(f, lastWords))
	s := string(b)
	if i := strings.IndexByte(s, '\n'); cut && i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
}
