// Package headroom puts off the first garbage collections of a process. Importing it is all.
//
// The libraries that render brings along build some ten megabytes of tables before main begins, which stay for good.
// With the runtime's first goal of 4 MB they are marked three times over while they grow,
// which is a tenth of the time of a short command. The package imports nothing but runtime,
// so that it is initialized before those.
package headroom

import "runtime"

// size is about what is there before the first collection that finds anything.
const size = 16 << 20

// A collection sets its next goal by what is in use. So one takes place while a block is in
// use that nobody ever touches, and that costs no memory therefore. Afterwards it is garbage.
func init() {
	block := make([]byte, size)
	runtime.GC()
	runtime.KeepAlive(block)
}
