package mime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// largeList is a list of strings beyond lazyText, with all that JSON can spell in them.
func largeList() rawjson.Value {
	var b strings.Builder
	b.WriteString("[\n")
	for i := range 12_000 {
		fmt.Fprintf(&b, `  "%d \"é\" \ud83d\ude00 \ud83d \\ \t€ no escape here\n" ,`, i)
		fmt.Fprintf(&b, "\n  \"%d %s\\n\",", i, strings.Repeat("x", 40))
	}
	b.WriteString(`"", 7, "` + strings.Repeat("y", 2*chunkSize) + `", "the end"` + " ]")
	return rawjson.Value(b.String())
}

func TestLargeTextOfAFile(t *testing.T) {
	v := largeList()
	want := JoinText(v)
	text := textOfJSON(v)
	if text.memory != 0 {
		t.Fatalf("%d bytes are held twice", text.memory)
	}
	if got := text.String(); got != want || text.Len() != int64(len(want)) {
		t.Fatalf("%d bytes, Len %d, want %d", len(got), text.Len(), len(want))
	}
	for _, off := range []int64{1, chunkSize, 1_000_003, text.Len() - 10, text.Len()} {
		if got, err := text.View().ReadFrom(nil, off); err != nil || string(got) != want[off:] {
			t.Errorf("from offset %d: %d bytes, %v", off, len(got), err)
		}
	}
	if n, err := text.View().Lines(); err != nil || n != 24_000 {
		t.Errorf("%d line ends, %v", n, err)
	}
	text.Append("\nand what came later\n")
	if got := text.String(); got != want+"\nand what came later\n" {
		t.Errorf("after Append: …%q", got[len(got)-30:])
	}
	if n, err := text.View().Lines(); err != nil || n != 24_002 {
		t.Errorf("after Append: %d line ends, %v", n, err)
	}
	if text.Shorten(100<<10, 1<<20); !strings.HasPrefix(text.String(), want[:1000]) || !strings.HasSuffix(text.String(), "later\n") {
		t.Error("head or tail is gone")
	}
}
