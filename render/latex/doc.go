// Package latex writes simple LaTeX formulas as one line of Unicode text: Greek, operators,
// super- and subscripts, fractions, roots, accents and small matrices.
//
// It knows a table of commands and no more: whoever finds a formula that it does not know
// whole shows the source.
package latex
