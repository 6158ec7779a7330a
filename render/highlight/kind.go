package highlight

import (
	"github.com/alecthomas/chroma/v2"

	"github.com/nbterm/nbterm/themes"
)

// Kind is what a part of a line is.
type Kind uint8

// The kinds. Plain is everything else.
const (
	Plain Kind = iota
	Keyword
	String
	Number
	Comment
	Function
	Type
	Builtin
	Operator
	Decorator
)

// Style returns how a theme draws a kind.
func (k Kind) Style(th *themes.Theme) themes.Style {
	switch k {
	case Keyword:
		return th.Keyword
	case String:
		return th.String
	case Number:
		return th.Number
	case Comment:
		return th.Comment
	case Function:
		return th.Function
	case Type:
		return th.Type
	case Builtin:
		return th.Builtin
	case Operator:
		return th.Operator
	case Decorator:
		return th.Decorator
	default:
		return th.Text
	}
}

// kindOf sorts chroma's token types, which follow Pygments.
func kindOf(t chroma.TokenType) Kind {
	switch t {
	case chroma.KeywordConstant, chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameConstant:
		return Builtin
	case chroma.KeywordType, chroma.NameClass, chroma.NameException:
		return Type
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameAttribute:
		return Function
	case chroma.NameDecorator, chroma.CommentPreproc, chroma.CommentPreprocFile:
		return Decorator
	case chroma.NameTag, chroma.OperatorWord:
		return Keyword
	default:
		return kindOfFamily(t)
	}
}

func kindOfFamily(t chroma.TokenType) Kind {
	switch {
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Operator):
		return Operator
	}
	return Plain
}
