package mime

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nbterm/nbterm/notebook/mime/spill"
)

func TestTextViewStaysAsItWas(t *testing.T) {
	text := TextOf("one ")
	before := text.View()
	text.Append(strings.Repeat("two", 50_000))
	if got, _ := before.ReadFrom(nil, 0); string(got) != "one " {
		t.Errorf("the view became %q", got)
	}
	if got, _ := text.View().ReadFrom(nil, 4); string(got) != strings.Repeat("two", 50_000) {
		t.Errorf("from offset 4: %d bytes", len(got))
	}
}

func TestTextSpills(t *testing.T) {
	var file spill.File
	defer file.Close()
	text := NewText(&file)
	line := strings.Repeat("x", 999) + "\n"
	for range 70 * 1024 { // about 70 MiB
		text.Append(line)
	}
	if file.Size() == 0 {
		t.Fatal("nothing was spilled")
	}
	if text.memory > InMemory {
		t.Errorf("%d bytes in memory", text.memory)
	}
	n := 0
	err := text.View().Chunks(0, func(p []byte) error {
		n += strings.Count(string(p), "\n")
		return nil
	})
	if err != nil || n != 70*1024 {
		t.Errorf("%d lines, %v", n, err)
	}
}

func TestShortenKeepsHeadAndTail(t *testing.T) {
	text := NewText(nil)
	var gone int64
	for i := range 300_000 {
		text.Append(fmt.Sprintln(i))
		gone += text.Shorten(1<<19, 1<<20)
	}
	if gone != text.Dropped() {
		t.Errorf("%d bytes went, %d were told", text.Dropped(), gone)
	}
	got := text.String()
	if int64(len(got)) != text.Len() || len(got) > 1<<20+200 {
		t.Errorf("%d bytes, Len %d", len(got), text.Len())
	}
	if !strings.HasPrefix(got, "0\n1\n") || !strings.HasSuffix(got, "299998\n299999\n") {
		t.Errorf("head or tail is gone: %.20q … %.20q", got, got[len(got)-20:])
	}
	head, tail, marked := strings.Cut(got, "\n… ")
	if !marked || int64(len(head)+len(tail)) < 1<<20-200_000 {
		t.Error("no mark, or too much is gone")
	}
	if !strings.Contains(got, fmt.Sprintf("%d bytes of output left out", text.Dropped())) {
		t.Error("the mark does not say how much")
	}
}

func TestShortenCutsBetweenCharacters(t *testing.T) {
	for _, piece := range []string{strings.Repeat("é€", 999), strings.Repeat("€", 40_000), "😀", "a😀é"} {
		text := NewText(nil)
		for n := 0; n < 1<<20; n += len(piece) {
			text.Append(piece)
			text.Shorten(150<<10, 300<<10)
		}
		if got := text.String(); text.Dropped() == 0 || !utf8.ValidString(got) {
			t.Errorf("%.20q: %d bytes dropped, %d kept, no UTF-8", piece, text.Dropped(), len(got))
		}
	}
}

func TestTextThatCannotBeReadBackIsAnError(t *testing.T) {
	var file spill.File
	text := NewText(&file)
	text.Append(strings.Repeat("x", InMemory+chunkSize))
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := text.View().ReadFrom(nil, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"output_type":"stream","name":"stderr","text":["a","b\\n"]}`, "stderr ab\n"},
		{`{"output_type":"stream","text":"x"}`, "stdout x"},
		{`{"output_type":"error","ename":"E","evalue":"v","traceback":"one\\ntwo"}`, "E v [one\ntwo]"},
		{`{"output_type":"error","ename":"E","evalue":"v"}`, "E v []"},
		{`{"output_type":"execute_result","execution_count":3,"data":{"text/plain":["4","2"]}}`, "3 42"},
		{`{"output_type":"odd"}`, "unknown odd"},
		{`7`, "unknown "},
	} {
		raw := strings.ReplaceAll(c.raw, `\\`, `\`)
		var got string
		switch b := (Output{Raw: []byte(raw)}).Decode().(type) {
		case *Stream:
			got = b.Name + " " + b.Text.String()
		case *Error:
			got = fmt.Sprint(b.Name, " ", b.Value, " ", b.Traceback)
		case *Data:
			plain, _ := b.Bundle.Plain()
			got = fmt.Sprint(b.Count, " ", plain)
		case *Unknown:
			got = "unknown " + b.Type
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", raw, got, c.want)
		}
	}
}
