// Package zmtp is the client side of ZMTP 3.0, the protocol of ZeroMQ sockets
// (rfc.zeromq.org/spec/23), as far as Jupyter kernels need it: DEALER, SUB and REQ over
// tcp and unix sockets with the NULL mechanism.
//
// It announces version 3.0, so that subscriptions go out as messages that every libzmq
// understands. A socket connects in the background until the first time it succeeds and
// never again after it was lost: a kernel that was replaced must not get the messages of
// the one before. It knows frames; what is in them is not its affair.
package zmtp
