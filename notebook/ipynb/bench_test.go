package ipynb

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
)

// manyCells is a notebook of n small cells as Jupyter lays it out.
func manyCells(n int) []byte {
	var b bytes.Buffer
	b.WriteString("{\n \"cells\": [\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": %d,\n   \"id\": \"big%05d\",\n   \"metadata\": {},\n   \"outputs\": [\n    {\n     \"name\": \"stdout\",\n     \"output_type\": \"stream\",\n     \"text\": [\n      \"cell %d\\n\"\n     ]\n    }\n   ],\n   \"source\": [\n    \"run(%d)\"\n   ]\n  }", i+1, i, i, i)
	}
	b.WriteString("\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n")
	return b.Bytes()
}

// manyLines is a notebook of one cell that put out n lines of 80 bytes.
func manyLines(n int) []byte {
	line := "      \"row " + strings.Repeat("x", 74) + "\\n\""
	return bytes.Replace(manyCells(1), []byte(`      "cell 0\n"`), []byte(strings.Repeat(line+",\n", n-1)+line), 1)
}

// manyImages is a notebook of one cell with 200 MB of base64.
func manyImages() []byte {
	img := strings.Repeat("iVBORw0KGgo=", 700_000)
	return bytes.Replace(manyCells(1), []byte(`      "cell 0\n"`), []byte("\""+strings.Repeat(img+"\",\n\"", 23)+img+"\""), 1)
}

func big(b *testing.B, run func(b *testing.B, data []byte)) {
	for _, c := range []struct {
		name string
		make func() []byte
	}{
		{"cells=5000", func() []byte { return manyCells(5000) }},
		{"lines=200MB", func() []byte { return manyLines(2_300_000) }},
		{"images=200MB", manyImages},
	} {
		b.Run(c.name, func(b *testing.B) {
			if testing.Short() && !strings.HasPrefix(c.name, "cells") {
				b.Skip("big")
			}
			data := c.make()
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, data)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	big(b, func(b *testing.B, data []byte) {
		for b.Loop() {
			if _, err := Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWriteOneEdit writes a file in which one source changed.
func BenchmarkWriteOneEdit(b *testing.B) {
	big(b, func(b *testing.B, data []byte) {
		f := parse(b, data)
		plan := keep(f)
		text := "edited é"
		plan[0].Source = &text
		for b.Loop() {
			if err := f.Write(io.Discard, plan); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWriteRun writes 200 MB of text that a run put out.
func BenchmarkWriteRun(b *testing.B) {
	if testing.Short() {
		b.Skip("big")
	}
	f := parse(b, manyCells(1))
	text := mime.NewText(nil)
	for range 2_600_000 {
		text.Append("row " + strings.Repeat("x", 74) + "\n")
	}
	n := 1
	plan := []CellPlan{{Count: &n, Outputs: []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: text}}}}}
	b.SetBytes(text.Len())
	for b.Loop() {
		if err := f.Write(io.Discard, plan); err != nil {
			b.Fatal(err)
		}
	}
}
