// Package journal keeps a context's log on disk, so that it outlives the process that hosts
// the context: one folder a context, readable by its user alone. What was written before a
// process was killed is read back as it was, up to a line that was being written. It knows
// nothing of hosts and clients. Answers to input() are no events and never come here.
package journal
