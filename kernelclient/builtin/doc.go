// Package builtin holds the kernels that nbterm brings along. builtin-python runs on any
// python3 from 3.8 on without a package: its source is embedded here and handed to the
// interpreter through the pipe that later carries requests, so that it needs no file and
// nothing of it shows on a command line. Its compiled form may be kept in a cache folder.
//
// builtin-ipython is the same kernel around IPython's shell, where the interpreter has it.
// builtin-shell is a Driver of its own: a bash or sh that is fed cell by cell.
//
// It knows how such a process is started, signalled and ended. It must not know what the
// messages mean (package jupyter does), which Python is the right one for a notebook
// (package local does), nor what a cell, a document or a terminal is.
package builtin
