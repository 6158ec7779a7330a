package tui

import (
	"bytes"
	"fmt"
	"strings"
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

func opened(b testing.TB, file []byte) *Model {
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

// BenchmarkFirstFrame reads a notebook and makes its first frame. The budgets are 50 ms for
// 1 MB and 300 ms for 5,000 cells, process start not counted.
func BenchmarkFirstFrame(b *testing.B) {
	b.Run("1 MB of output", func(b *testing.B) {
		file := linesFile(12_500)
		for b.Loop() {
			opened(b, file)
		}
	})
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

// BenchmarkTyping types into a cell of 20,000 lines and makes the frame of each key. The
// budget is 5 ms.
func BenchmarkTyping(b *testing.B) {
	var source strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&source, "value_%d = compute(%d, name='n%d')  # a comment\n", i, i, i)
	}
	m := opened(b, notebookOf(b, 1))
	if !m.change("fill", notebook.SetSource{Key: m.cells[0].key, Source: source.String()}) {
		b.Fatal("not filled")
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	for _, place := range []tea.KeyPressMsg{{Code: tea.KeyHome, Mod: tea.ModCtrl}, {Code: tea.KeyEnd, Mod: tea.ModCtrl}} {
		b.Run(place.String(), func(b *testing.B) {
			m.Update(place)
			m.View()
			for b.Loop() {
				m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
				m.View()
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				m.View()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2, "µs/key")
		})
	}
}

// BenchmarkPaste pastes 2 MB and makes the frame. The budget is 0.5 s.
func BenchmarkPaste(b *testing.B) {
	text := strings.Repeat("some_name = other_name(1, 'two')  # a comment\n", 2<<20/46)
	for b.Loop() {
		m := opened(b, notebookOf(b, 3))
		m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		m.Update(tea.PasteMsg{Content: text})
		m.View()
	}
}
