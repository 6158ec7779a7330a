package render

import (
	"regexp"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/render/ansi"
	"github.com/nbterm/nbterm/themes"
)

// Output returns the drawing of one output; nil draws as nothing.
func Output(b mime.Body, th themes.Theme) Block { return output(b, &th, nil) }

func output(b mime.Body, th *themes.Theme, pictures *Pictures) Block {
	switch b := b.(type) {
	case *mime.Stream:
		return NewStream(b.Text, b.Name == "stderr", *th)
	case *mime.Data:
		return data(b, th, pictures)
	case *mime.Error:
		return failure(b, th)
	case *mime.Unknown:
		return standIn("unknown output "+quoted(b.Type), th)
	}
	return stack(nil)
}

// Outputs returns the drawings of a cell's outputs. Neighbours of one stream are one
// block: files hold them in pieces.
func Outputs(outs []mime.Output, th themes.Theme) []Block { return OutputsWith(outs, th, nil) }

// OutputsWith is Outputs with pictures drawn as told.
func OutputsWith(outs []mime.Output, th themes.Theme, pictures *Pictures) []Block {
	var blocks []Block
	var name string
	var texts []*mime.Text
	flush := func() {
		if len(texts) > 0 {
			blocks = append(blocks, newStreams(texts, name == "stderr", &th))
			texts = nil
		}
	}
	for _, o := range outs {
		if h, ok := o.Body.(*mime.Held); ok {
			if b := newHeld(h, &th, pictures); b != nil {
				flush()
				blocks = append(blocks, b)
				continue
			}
		}
		body := o.Decode()
		if s, ok := body.(*mime.Stream); ok {
			if s.Name != name {
				flush()
			}
			name = s.Name
			texts = append(texts, s.Text)
			continue
		}
		flush()
		blocks = append(blocks, output(body, &th, pictures))
	}
	flush()
	return blocks
}

// failure draws an error: its traceback, or name and value where it has none.
func failure(e *mime.Error, th *themes.Theme) Block {
	text := narrow(strings.Join(e.Traceback, "\n"))
	if strings.TrimSpace(ansi.Strip(text)) == "" {
		text = strings.Join(notEmpty(ansi.Strip(e.Name), ansi.Strip(e.Value)), ": ")
	}
	if text == "" {
		text = "error"
	}
	// The frames have colours of their own; what has none, such as the message, is red.
	return gutter{newText(text, th.Error, th), th.Error.Render(errorMark)}
}

// wideRule and wideHeader match what IPython lays out for 75 columns.
var (
	wideRule   = regexp.MustCompile(`-{41,}`)
	wideHeader = regexp.MustCompile(` {3,}(Traceback \(most recent call last\))`)
)

// narrow makes a traceback's frame fit beside marks in 80 columns and in less.
func narrow(traceback string) string {
	traceback = wideRule.ReplaceAllString(traceback, strings.Repeat("-", 40))
	return wideHeader.ReplaceAllString(traceback, "  $1")
}

func notEmpty(words ...string) (out []string) {
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// standIn is the line for what cannot be shown as text.
func standIn(what string, th *themes.Theme) Block {
	return newText("["+ansi.OneLine(what)+"]", th.StandIn, th)
}

func quoted(s string) string { return `"` + s + `"` }
