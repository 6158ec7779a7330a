// Package e2bface serves kernels as E2B's code interpreter does, so that its SDKs work on
// this machine: executions as streams of lines, contexts, and as much of the control plane
// as makes and ends sandboxes.
//
// A sandbox is a set of contexts with a folder and variables of its own. Without the control
// plane there is one. What the genuine server gets wrong unseen by its clients is right here:
// variables are set beside the code and not in it, an interrupt has taken effect before the
// next code runs, a context gets its folder again after a restart.
//
// It listens nowhere, asks for no listener's token and knows nothing of files: its caller
// gives it a handler for those.
package e2bface
