// Package serve is what stands before every face of `nbterm serve`: listeners, the refusal
// of foreign web pages, limits, a log of requests and figures about them, and an end that
// lets streams finish.
//
// It knows nothing of kernels. Who may do what is asked by the faces, for each has its own
// way to carry a token.
package serve
