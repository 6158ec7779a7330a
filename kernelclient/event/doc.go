// Package event names what can happen in a code context. Everything that watches a
// context – the screen, a headless run, a client that was away – sees these and nothing
// else; which protocol they came by is forgotten below this point.
//
// It is a leaf beside notebook/mime. What a cell is it does not know: a CellKey is an
// opaque word that the one who submits a request finds again in its Queued event.
package event
