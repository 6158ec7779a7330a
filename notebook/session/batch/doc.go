// Package batch runs code without a screen: a notebook (`nbterm run`) or one snippet
// (`nbterm exec`). It passes output on while it arrives, heeds signals, and knows the exit
// statuses. It knows no flags, no files and no terminals: its caller hands in writers,
// signals and a way to save.
package batch
