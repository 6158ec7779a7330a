package tui

import (
	"bytes"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/themes"
)

// notebookOf makes the file of n cells of some lines each.
func notebookOf(b *testing.B, n int) []byte {
	b.Helper()
	doc := notebook.New()
	var cells []notebook.NewCell
	for i := range n {
		cells = append(cells, notebook.NewCell{Type: notebook.Code, Source: fmt.Sprintf(
			"# cell %d\nfor row in table[%d:]:\n    total += row['amount'] * 1.19\nprint(total)", i, i)})
	}
	if err := doc.Do("make", notebook.Insert{At: 0, Cells: cells}); err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := doc.Snapshot().WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

func opened(b *testing.B, file []byte) *Model {
	b.Helper()
	doc, err := notebook.Parse(file)
	if err != nil {
		b.Fatal(err)
	}
	m := newModel(Options{Session: session.New(doc, &hosttest.Host{}, session.Options{}), Theme: themes.Dark(), Width: 120, Height: 48})
	if m.View().Content == "" {
		b.Fatal("an empty frame")
	}
	return m
}

// BenchmarkFirstFrame reads a notebook and makes its first frame.
func BenchmarkFirstFrame(b *testing.B) {
	for _, n := range []int{100, 5000} {
		file := notebookOf(b, n)
		b.Run(fmt.Sprintf("%d cells %d KB", n, len(file)>>10), func(b *testing.B) {
			for b.Loop() {
				opened(b, file)
			}
		})
	}
}

// BenchmarkKey presses keys and makes the frame that each causes.
func BenchmarkKey(b *testing.B) {
	m := opened(b, notebookOf(b, 5000))
	for _, c := range []struct {
		name string
		keys []tea.KeyPressMsg
	}{
		{"select", []tea.KeyPressMsg{{Code: 'j', Text: "j"}}},
		{"scroll", []tea.KeyPressMsg{{Code: ']', Text: "]"}}},
		{"insert", []tea.KeyPressMsg{{Code: 'b', Text: "b"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, k := range c.keys {
					m.Update(k)
					m.View()
				}
			}
		})
	}
}
