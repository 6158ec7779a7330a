// Package bridge lets code contexts outlive the program that shows them: a Server owns
// them in a process of its own, the host process, and a Client is that process seen as a
// kernelclient.Host. They speak HTTP/1.1 over a unix socket that only this user can reach.
//
// A Place says where the host process of a state folder is found; a Client that may start
// one does so when there is none. What a client cannot know it is told in plain words: a
// host of another version, one that does not answer, one that went away.
//
// It knows neither documents nor terminals, and which kernels there are only through the
// kernelclient.Host that makes its contexts.
package bridge
