// Package isolate starts kernels in surroundings of their own: behind bubblewrap, with
// folders and processes of the machine out of their sight, and with a limit of memory.
//
// It only starts processes. It knows neither what a kernel is nor how one is reached: who
// starts one says which files it needs beside its program.
package isolate
