// Package highlight says what each part of a line of source code is: keyword, string,
// comment. It works line by line, so that only what is looked at costs time: chroma reads
// about 200 kB a second.
//
// It hides chroma and knows nothing of escape sequences or widths.
package highlight
