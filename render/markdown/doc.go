// Package markdown draws Markdown for a terminal. It has one function and hides the
// library behind it (Glamour), so that another way of drawing can take its place.
//
// It costs about a third of a millisecond for a paragraph: callers draw what is visible.
// What it returns may hold escape sequences of any kind and lines that are too long; the
// caller passes it through an ansi.Store.
package markdown
