// Package markdown draws Markdown for a terminal. Parts takes a notebook's text apart:
// what Glamour does not draw well (formulas, tables, attached pictures) becomes parts of
// their own, and formulas and HTML among words become Markdown. Render draws the prose. It
// hides the library, so that another way of drawing can take its place.
//
// It costs about a third of a millisecond for a paragraph: callers draw what is visible.
// What it returns may hold escape sequences of any kind and lines that are too long; the
// caller passes it through an ansi.Store.
package markdown
