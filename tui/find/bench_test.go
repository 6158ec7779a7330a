package find_test

import (
	"fmt"
	"testing"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/tui/find"
)

// BenchmarkSearch looks for a word that is not there in 20 MB of output.
func BenchmarkSearch(b *testing.B) {
	text := mime.TextOf("")
	for i := range 300_000 {
		text.Append(fmt.Sprintf("line %d of an output that somebody printed in a loop, as people do\n", i))
	}
	d := notebook.New()
	cell := notebook.NewCell{Type: notebook.Code, Outputs: []mime.Output{{Body: &mime.Stream{Name: "stdout", Text: text}}}}
	if err := d.Do("make", notebook.Insert{Cells: []notebook.NewCell{cell}}); err != nil {
		b.Fatal(err)
	}
	for _, q := range []find.Query{{Text: "nowhere"}, {Text: "nowhere", Case: true}, {Text: "no[wx]here", Regexp: true}} {
		b.Run(fmt.Sprintf("%+v", q), func(b *testing.B) {
			p, err := q.Compile()
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(text.Len())
			for b.Loop() {
				if hits, _, err := find.Search(b.Context(), d.Cells(), p); err != nil || len(hits) > 0 {
					b.Fatal(hits, err)
				}
			}
		})
	}
}
