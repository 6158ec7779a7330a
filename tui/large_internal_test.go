package tui

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// linesFile is a notebook of one cell with so many lines of output.
func linesFile(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"cells": [{"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "outputs": [
{"name": "stdout", "output_type": "stream", "text": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `"row %08d %s\n"`, i, strings.Repeat("x", 60))
	}
	b.WriteString(`]}], "source": ["run(1)"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
	return b.Bytes()
}

// A notebook with much output takes half its size more, at most.
func TestLargeNotebookIsHeldOnce(t *testing.T) {
	const lines = 120_000
	file := linesFile(lines)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := opened(t, file)
	runtime.ReadMemStats(&after)
	if more := int(after.TotalAlloc - before.TotalAlloc); more > len(file)/2 {
		t.Errorf("%d MB were allocated for a notebook of %d MB", more>>20, len(file)>>20)
	}
	screen := ansi.Strip(m.View().Content)
	for _, want := range []string{"row 00000000 x", fmt.Sprintf("… %d lines …", lines-foldHead-foldTail)} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
}

// BenchmarkLargeNotebook reads a notebook with 42 MB of output and makes its first frame.
func BenchmarkLargeNotebook(b *testing.B) {
	file := linesFile(500_000)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		opened(b, file)
	}
}
