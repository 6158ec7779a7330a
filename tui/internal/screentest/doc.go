// Package screentest runs a terminal program in this process on an emulated terminal:
// keys go in as the bytes that a terminal sends, and tests look at the emulated screen,
// never at the byte stream (a renderer that writes differences does not write texts).
//
// It knows nothing of the program but how to run it and how to ask it whether it is idle.
package screentest
