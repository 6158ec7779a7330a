// Package ipynb reads and writes Jupyter notebook files (nbformat 4) without touching
// bytes that nobody changed. A File is the bytes that were read and the places of the
// cells within them; writing copies those bytes and puts new text only where a plan
// says so, in the file's own manner: indentation, line ends, escapes, key order.
//
// It must not know what a document is, where outputs come from, or how a file gets to disk.
package ipynb
