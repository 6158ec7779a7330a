package mime

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/notebook/mime/spill"
)

func TestHeldComesBackAsItWas(t *testing.T) {
	big := strings.Repeat("x", 10_000)
	for _, body := range []Body{
		&Data{Result: true, Count: 3, DisplayID: "d", Metadata: rawjson.Value(`{}`), Bundle: Bundle{{"a/b", rawjson.Quote(big)}, {"empty", nil}, {"text/plain", rawjson.Quote("p")}}},
		&Error{Name: "E", Value: big, Traceback: []string{"", big}},
		&Error{Name: "E", Value: big},
	} {
		var file spill.File
		h := Hold(body, &file)
		before, err := h.Load()
		if err != nil || before != body || h.Memory() != Size(body) {
			t.Errorf("in memory: %v, %v, %d bytes", before, err, h.Memory())
		}
		if err := h.Spill(); err != nil {
			t.Fatal(err)
		}
		if err := h.Spill(); err != nil || file.Size() != Size(body) {
			t.Errorf("spilled twice: %v, %d bytes", err, file.Size())
		}
		if Size(h.Bare()) != 0 || h.Memory() != 0 {
			t.Error("it is still in memory")
		}
		if d, ok := h.Bare().(*Data); ok && d.Metadata != nil {
			t.Error("its metadata keeps the whole message in memory")
		}
		if got, err := h.Load(); err != nil || !reflect.DeepEqual(got, body) {
			t.Errorf("%v came back as %v, %v", body, got, err)
		}
		if got := (Output{Body: h}).Decode(); !reflect.DeepEqual(got, body) {
			t.Errorf("%v decodes as %v", body, got)
		}
		_ = file.Close()
		if _, err := h.Load(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		if e, ok := (Output{Body: h}).Decode().(*Error); !ok || !strings.Contains(e.Value, "cannot be read back") {
			t.Errorf("after the end it decodes as %v", e)
		}
	}
}

func TestHeldStaysWhereTheDiskRefuses(t *testing.T) {
	var file spill.File
	_ = file.Close()
	body := &Error{Value: "x"}
	h := Hold(body, &file)
	if err := h.Spill(); err == nil {
		t.Error("no error")
	}
	if got, err := h.Load(); got != Body(body) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTextSpillsOnDemand(t *testing.T) {
	var file spill.File
	defer file.Close()
	text := NewText(&file)
	text.Append(strings.Repeat("one\n", 5000))
	if err := text.Spill(); err != nil || text.memory != 0 || file.Size() != 20_000 {
		t.Errorf("%v, %d bytes in memory, %d on disk", err, text.memory, file.Size())
	}
	text.Append("two")
	if got := text.String(); got != strings.Repeat("one\n", 5000)+"two" {
		t.Errorf("%d bytes", len(got))
	}
}
