// Package trash moves files of this machine to the user's trash, from where file managers
// and Restore bring them back. It follows the trash specification of freedesktop.org: the
// trash of the home folder, else one at the top of the file system that the file is on.
//
// It must not know who asks.
package trash
