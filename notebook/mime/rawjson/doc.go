// Package rawjson reads JSON by its bytes. It exists because notebooks must come
// back byte for byte: a value is a slice of the text it was read from, never a
// decoded copy, and what no one asks for is never decoded.
//
// It is more tolerant than RFC 8259 where real notebooks are: Python writes bare
// NaN, Infinity and -Infinity, tools leave raw control characters and lone bytes
// inside strings, and keys occur twice. It is as strict as the RFC about structure,
// so that a cut-off file or a merge conflict is an error with an offset.
//
// It is a leaf: it knows JSON and nothing of notebooks, messages or terminals.
package rawjson
