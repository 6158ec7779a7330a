// Package tui is the terminal program: a notebook on the screen.
//
// There is one Bubble Tea model, in files by duty. What is on the screen are plain
// structs with methods, a message type says what happened, and Update only routes. The
// frame is cached and rebuilt when something in it changed. Keys become actions through
// tui/keymap and nowhere else.
//
// The package does not know how kernels are reached or how notebooks are written down;
// that is notebook/session, kernelclient and notebook/diskfile.
package tui
