package markdown

import (
	"charm.land/glamour/v2/ansi"

	"github.com/nbterm/nbterm/themes"
)

// config makes Glamour's style of a theme. Margins are left to the caller.
func config(th *themes.Theme) ansi.StyleConfig {
	heading := block(th.Heading)
	heading.BlockSuffix = "\n"
	quote := block(th.Quote)
	quote.Indent, quote.IndentToken = ptr(uint(1)), ptr("│ ")
	code := block(th.CodeBlock)
	code.Margin = ptr(uint(2))
	link := primitive(th.Link)
	image := primitive(th.Muted)
	imageText := image
	imageText.Format = "image: {{.text}}"
	strike := ansi.StylePrimitive{CrossedOut: ptr(true)}
	inline := block(th.Code)
	if th.NoColor { // backquotes tell code where colour cannot
		inline.BlockPrefix, inline.BlockSuffix = "`", "`"
	}
	return ansi.StyleConfig{
		Document:       block(th.Text),
		BlockQuote:     quote,
		List:           ansi.StyleList{LevelIndent: 2},
		Heading:        heading,
		H1:             prefixed("# "),
		H2:             prefixed("## "),
		H3:             prefixed("### "),
		H4:             prefixed("#### "),
		H5:             prefixed("##### "),
		H6:             prefixed("###### "),
		Strikethrough:  strike,
		Emph:           primitive(th.Emph),
		Strong:         primitive(th.Strong),
		HorizontalRule: ansi.StylePrimitive{Format: "\n────────\n"},
		Item:           ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "},
		Link:           link,
		LinkText:       primitive(th.Strong),
		Image:          image,
		ImageText:      imageText,
		Code:           inline,
		CodeBlock:      ansi.StyleCodeBlock{StyleBlock: code},
		DefinitionTerm: primitive(th.Strong),
		DefinitionDescription: ansi.StylePrimitive{
			BlockPrefix: "\n  ",
		},
	}
}

func prefixed(p string) ansi.StyleBlock {
	return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: p}}
}

func block(s themes.Style) ansi.StyleBlock { return ansi.StyleBlock{StylePrimitive: primitive(s)} }

func primitive(s themes.Style) ansi.StylePrimitive {
	return ansi.StylePrimitive{
		Color:           color(s.FG),
		BackgroundColor: color(s.BG),
		Bold:            flag(s.Bold),
		Faint:           flag(s.Faint),
		Italic:          flag(s.Italic),
		Underline:       flag(s.Underline),
		Inverse:         flag(s.Reverse),
		CrossedOut:      flag(s.Strike),
	}
}

func color(c themes.Color) *string {
	if c == "" {
		return nil
	}
	return ptr(string(c))
}

// flag leaves what is off to the surrounding style.
func flag(on bool) *bool {
	if !on {
		return nil
	}
	return &on
}

func ptr[T any](v T) *T { return &v }
