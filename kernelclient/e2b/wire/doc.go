// Package wire is the language of the E2B code interpreter: the bodies of its HTTP calls,
// the lines of the stream that an execution answers with, and the results in them. It reads
// and writes both ways, as a client and a server need it, and opens no connection.
//
// Values stay the JSON they came as, so that numbers keep their spelling. What is not known
// here, a type of line or a field, is kept and never an error.
package wire
