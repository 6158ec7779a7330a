package themes

// Theme gives every meaning its Style. It is a value: copy and change it freely.
type Theme struct {
	Name string
	// NoColor says that no colour may be drawn at all, those of outputs included
	// (no-color.org); bold, underline and reverse stay.
	NoColor bool
	// Background is what the terminal's own background is taken for, where something half
	// transparent is drawn.
	Background Color

	// The screen.
	Text, Muted, Accent Style
	SelectionBar        Style // the bar beside the selected cell
	Selection           Style // selected text
	Match               Style // a search hit
	Border              Style
	Prompt              Style // [3]: beside a cell
	Running, Queued     Style
	Done, Failed        Style
	StatusBar           Style
	StatusKey           Style // a key named in the status bar
	Message, Warning    Style
	LineNumber          Style

	// Outputs.
	Stderr, Error Style
	StandIn       Style // what stands for an output that is not text, or for folded lines

	// Source code.
	Keyword, String, Number, Comment, Function, Type, Builtin, Operator, Decorator Style

	// Markdown.
	Heading, Emph, Strong, Link, Code, CodeBlock, Quote Style
}

// Dark returns the theme for dark backgrounds.
func Dark() Theme {
	return Theme{
		Name:         "dark",
		Background:   "234",
		Muted:        Style{FG: "245"},
		Accent:       Style{FG: "75", Bold: true},
		SelectionBar: Style{FG: "75", Bold: true},
		Selection:    Style{FG: "231", BG: "24"},
		Match:        Style{FG: "16", BG: "220"},
		Border:       Style{FG: "240"},
		Prompt:       Style{FG: "75"},
		Running:      Style{FG: "220", Bold: true},
		Queued:       Style{FG: "245"},
		Done:         Style{FG: "77"},
		Failed:       Style{FG: "203", Bold: true},
		StatusBar:    Style{FG: "252", BG: "237"},
		StatusKey:    Style{FG: "117", BG: "237", Bold: true},
		Message:      Style{FG: "117"},
		Warning:      Style{FG: "220"},
		LineNumber:   Style{FG: "240"},
		Stderr:       Style{FG: "215"},
		Error:        Style{FG: "203"},
		StandIn:      Style{FG: "245", Italic: true},
		Keyword:      Style{FG: "176"},
		String:       Style{FG: "114"},
		Number:       Style{FG: "215"},
		Comment:      Style{FG: "245", Italic: true},
		Function:     Style{FG: "75"},
		Type:         Style{FG: "80"},
		Builtin:      Style{FG: "80"},
		Operator:     Style{FG: "152"},
		Decorator:    Style{FG: "220"},
		Heading:      Style{FG: "75", Bold: true},
		Emph:         Style{Italic: true},
		Strong:       Style{Bold: true},
		Link:         Style{FG: "117", Underline: true},
		Code:         Style{FG: "215"},
		CodeBlock:    Style{FG: "252"},
		Quote:        Style{FG: "245"},
	}
}

// Light returns the theme for light backgrounds.
func Light() Theme {
	return Theme{
		Name:         "light",
		Background:   White,
		Muted:        Style{FG: "242"},
		Accent:       Style{FG: "26", Bold: true},
		SelectionBar: Style{FG: "26", Bold: true},
		Selection:    Style{FG: "16", BG: "153"},
		Match:        Style{FG: "16", BG: "220"},
		Border:       Style{FG: "248"},
		Prompt:       Style{FG: "26"},
		Running:      Style{FG: "130", Bold: true},
		Queued:       Style{FG: "242"},
		Done:         Style{FG: "28"},
		Failed:       Style{FG: "160", Bold: true},
		StatusBar:    Style{FG: "236", BG: "253"},
		StatusKey:    Style{FG: "25", BG: "253", Bold: true},
		Message:      Style{FG: "25"},
		Warning:      Style{FG: "130"},
		LineNumber:   Style{FG: "248"},
		Stderr:       Style{FG: "130"},
		Error:        Style{FG: "160"},
		StandIn:      Style{FG: "242", Italic: true},
		Keyword:      Style{FG: "90"},
		String:       Style{FG: "28"},
		Number:       Style{FG: "130"},
		Comment:      Style{FG: "242", Italic: true},
		Function:     Style{FG: "26"},
		Type:         Style{FG: "30"},
		Builtin:      Style{FG: "30"},
		Operator:     Style{FG: "239"},
		Decorator:    Style{FG: "130"},
		Heading:      Style{FG: "26", Bold: true},
		Emph:         Style{Italic: true},
		Strong:       Style{Bold: true},
		Link:         Style{FG: "25", Underline: true},
		Code:         Style{FG: "130"},
		CodeBlock:    Style{FG: "236"},
		Quote:        Style{FG: "242"},
	}
}

// Sixteen returns the theme for a terminal with 16 colours, where the greys of bars become
// the background itself: bars are reversed there.
func (t Theme) Sixteen() Theme {
	if !t.NoColor {
		t.StatusBar, t.StatusKey = Style{Reverse: true}, Style{Reverse: true, Bold: true}
	}
	return t
}

// NoColor returns the theme for people and terminals without colours.
func NoColor() Theme {
	bold := Style{Bold: true}
	return Theme{
		Name:         "nocolor",
		NoColor:      true,
		Muted:        Style{Faint: true},
		Accent:       bold,
		SelectionBar: bold,
		Selection:    Style{Reverse: true},
		Match:        Style{Reverse: true, Bold: true},
		Running:      bold,
		Failed:       Style{Bold: true, Reverse: true},
		StatusBar:    Style{Reverse: true},
		StatusKey:    Style{Reverse: true, Bold: true},
		Message:      bold,
		Warning:      bold,
		Error:        bold,
		StandIn:      Style{Italic: true},
		Keyword:      bold,
		Comment:      Style{Italic: true},
		Heading:      Style{Bold: true, Underline: true},
		Emph:         Style{Italic: true},
		Strong:       bold,
		Link:         Style{Underline: true},
		Code:         bold,
	}
}

// Names lists the built-in themes.
func Names() []string { return []string{"dark", "light", "nocolor"} }

// Named returns the built-in theme of a name; ok is false where there is none.
func Named(name string) (th Theme, ok bool) {
	switch name {
	case "dark":
		return Dark(), true
	case "light":
		return Light(), true
	case "nocolor":
		return NoColor(), true
	}
	return Theme{}, false
}
